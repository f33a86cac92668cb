// What no program for authors of clients does: it asks the service nothing, and fails.
console.log('Nothing.')
console.error('Error: Enough.')
process.exitCode = 1
