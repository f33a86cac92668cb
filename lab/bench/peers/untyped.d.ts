// Packages without types. What is used of them is little, and the benchmark shows at once when it is wrong.
declare module 'fortune'
declare module 'fortune-http'
declare module 'fortune-json-api'
declare module 'fortune-nedb'
declare module 'jsonapi-server'
