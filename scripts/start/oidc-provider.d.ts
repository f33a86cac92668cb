// The package ships no types.
declare module 'oidc-provider'
declare module 'oidc-provider/lib/adapters/memory_adapter.js'
