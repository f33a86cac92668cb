export const name = 'this is postgres'
