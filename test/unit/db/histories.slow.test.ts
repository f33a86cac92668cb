// Ten times as many histories.
import './histories.test.ts'
