/**
 * The public API of `@precis/core/actions`: what a call did outside files, and the names of what it
 * made.
 */

export { formsOf } from './artifacts.ts'
