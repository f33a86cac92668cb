import { defineConfig } from 'vitest/config'

/** Tests in a real browser, against `npm start`. Apart from the others, since they need Chromium. */
export default defineConfig({
  test: {
    dir: import.meta.dirname,
    include: ['*.browser.ts'],
    globalSetup: `${import.meta.dirname}/setup.ts`,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
