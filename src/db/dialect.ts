export const name = 'this is sqlite'
