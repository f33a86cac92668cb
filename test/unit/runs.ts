import { expect } from 'vitest'

/** Is this run of a test file one of the slow tests? A slow test may import a quick one, to run it with more values. */
export const isSlow = (): boolean => /\.slow\.test\.ts$/.test(expect.getState().testPath ?? '')

/** How often something is tried: so many times in a slow test, and a tenth of them elsewhere. */
export const runs = (all: number): number => (isSlow() ? all : Math.ceil(all / 10))
