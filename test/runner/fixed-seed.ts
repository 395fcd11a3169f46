import { configureGlobal } from 'fast-check'

// The same inputs in each run, so that a change fails for what it changed and not by chance.
const { TEST_SEED = '20261116' } = process.env

configureGlobal({ seed: Number(TEST_SEED) })
