// Many domains, made at random.
import './domains.test.ts'
