/**
 * An error that the person at the terminal can mend: its message is one line and says how. No stack is shown.
 *
 * @param message one line, without a full stop when it ends in a command
 */
export function complaint(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'Complaint' })
}

/** Thrown where somebody asks for help: its message is the help, and nothing else is to be done. */
export function helpWanted(text: string): Error {
  return Object.assign(new Error(text), { name: 'HelpWanted' })
}

/** Runs a command: help goes to stdout, a complaint becomes one line on stderr, any error the exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (isNamed(error, 'HelpWanted')) {
      console.log(error.message)
      return
    }
    console.error(isNamed(error, 'Complaint') ? error.message : error)
    process.exitCode = 1
  }
}

function isNamed(error: unknown, name: string): error is Error {
  return error instanceof Error && error.name === name
}
