/**
 * The public API of `@precis/core/actions`: what a call did outside of files, by its names.
 */

export { formsOf } from './artifacts.ts'
