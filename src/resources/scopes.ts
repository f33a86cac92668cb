/** The scopes of persons' tokens, each with what it allows an application (contract, section 3). */
export const scopes = {
  'users.read': 'Read-only access to user data.',
  'users.sensitive.read': "Read a user's sensitive attributes.",
  'users.citizenships.read': "Read a user's citizenships relationship.",
  'users.write': 'Create users, and change and delete your own.',
} as const
