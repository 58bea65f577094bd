const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** Bits of a number as an IEEE 754 half float, rounded to nearest even by way of single precision. */
export function halfBits(value: number): number {
  single[0] = value;
  const x = bits[0] ?? 0;
  const sign = (x >>> 16) & 0x8000;
  const magnitude = x & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) return sign | roundShift(magnitude - 0x38000000, 13);
  if (magnitude < 0x33000000) return sign;
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  return sign | roundShift(mantissa, 126 - (magnitude >>> 23));
}

/** `value` ÷ 2^`shift`, ties to even. */
function roundShift(value: number, shift: number): number {
  const half = 1 << (shift - 1);
  const rest = value & ((1 << shift) - 1);
  const quotient = value >>> shift;
  return rest > half || (rest === half && quotient % 2 === 1) ? quotient + 1 : quotient;
}
