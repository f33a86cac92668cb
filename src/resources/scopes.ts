/** The scopes of person's tokens, and what each lets an application do (contract, section 3). */
export const scopes = {
  'users.read': 'Read-only access to user data.',
  'users.sensitive.read': "Read a user's sensitive attributes.",
  'users.citizenships.read': "Read a user's citizenships relationship.",
  'users.write': 'Create users, and change and delete the own ones.',
} as const
