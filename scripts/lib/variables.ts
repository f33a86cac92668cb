import { readConfig } from '../../src/config.ts'
import { rateLimitFrom } from '../../src/rate-limit/policy.ts'

/**
 * What is wrong with the variables of a Worker, by the code that reads them there: text that names each wrong variable, what it
 * holds and what is allowed. Empty where nothing is wrong.
 */
export function wrongVariables(vars: Readonly<Record<string, string>>): string[] {
  return [readConfig, rateLimitFrom].flatMap((read) => {
    try {
      read(vars)
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  })
}
