import { together } from '../support/grouped.ts'

together(import.meta.url)
