/** Restart notes of head that say which arm was started first; the order effect is judged from them. */
export const LOADED_FIRST = 'loaded first';
export const LOADED_SECOND = 'loaded second';
