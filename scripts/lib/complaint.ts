/**
 * An error that the person at the terminal can mend: its message is one line and says how. No stack is shown.
 *
 * @param message one line, without a full stop when it ends in a command
 */
export function complaint(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name: 'Complaint' })
}

/** Runs a command: a complaint becomes one line on stderr, and the exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (!isComplaint(error)) {
      throw error
    }
    console.error(error.message)
    process.exitCode = 1
  }
}

/**
 * Does something on a database.
 *
 * @param name of the database, for people
 * @throws a complaint that names it, and says what to do, where it lacks tables or rights, and with what the server says else
 */
export async function onDatabase<Result>(
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    throw inWords(name, thrown)
  }
}

function inWords(name: string, error: unknown): unknown {
  const { code = '', message, cause } = error as NodeJS.ErrnoException
  if (code === '42P01' || message.includes('no such table')) {
    return complaint(
      `There are no tables of the service in ${name}. If it is the right one, they come with npm start on this machine, and elsewhere with npm run deploy.`,
      error,
    )
  }
  // A SQLSTATE: the server says what is wrong, such as 42501, a lack of rights.
  if (/^[\dA-Z]{5}$/.test(code)) {
    const remedy = code === '42501' ? '. Connect as the owner of the tables' : ''
    return complaint(`In ${name}: ${message}${remedy}`, error)
  }
  // What the binding says where D1, or the preview that leads to it, does not answer.
  if (/^(?:D1_ERROR|Failed to parse body as JSON)/.test(message)) {
    return complaint(
      `In ${name}: ${message.split('\n')[0]}. Try again; see cloudflarestatus.com`,
      error,
    )
  }
  // Drizzle wraps such an error.
  return cause === undefined || isComplaint(error) ? error : inWords(name, cause)
}

function isComplaint(error: unknown): error is Error {
  return error instanceof Error && error.name === 'Complaint'
}
