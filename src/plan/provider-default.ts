/** The provider where the config names none: `cuda` on a machine with an NVIDIA GPU, else `cpu`. */
export function defaultProvider(machine: { readonly hasNvidiaGpu: boolean }): string {
  return machine.hasNvidiaGpu ? 'cuda' : 'cpu';
}
