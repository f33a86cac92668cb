import { existsSync } from 'node:fs'

/**
 * Has the local databases kept in memory, where the system offers that: nobody needs them to be durable, and waiting
 * for a disk is most of what a local write costs.
 */
export function useMemoryDisk(): void {
  if (existsSync('/dev/shm')) {
    process.env.TMPDIR = '/dev/shm'
  }
}
