import { readConfig } from '../../src/config.ts'

/**
 * What is wrong with the variables and secrets of a Worker, by the code that reads them there: text that names each wrong one and what
 * is allowed. Empty where nothing is wrong.
 */
export function wrongVariables(vars: Readonly<Record<string, unknown>>): string[] {
  try {
    readConfig(vars)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}
