// Packages without types. Little of them is used, and the benchmark shows at once when a type is wrong.
declare module 'jsonapi-server'
