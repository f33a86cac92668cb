/** The path of the back door: it answers with the counts of the tap, which begin anew. */
export const countsPath = '/cost-back-door'
