/**
 * An error that the person at the terminal can mend: its message is one line and says how. No stack is shown.
 *
 * @param message one line, without a full stop when it ends in a command
 */
export function complaint(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'Complaint' })
}

/** Runs a command: a complaint becomes one line on stderr, any error the exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    console.error(isComplaint(error) ? error.message : error)
    process.exitCode = 1
  }
}

function isComplaint(error: unknown): error is Error {
  return error instanceof Error && error.name === 'Complaint'
}
