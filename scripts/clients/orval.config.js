/** Orval takes the address of the service from a file alone. */
export default {
  api: {
    input: 'generated/oas.json',
    output: {
      target: 'generated/orval.ts',
      client: 'fetch',
      baseUrl: process.env.SERVICE_URL,
    },
  },
}
