import { describe, expect, test } from 'vitest'
import { Lock, SharedRun, untilAborted } from './shared-run.ts'

const later = () => new Promise<void>((resolve) => setTimeout(resolve, 1))

describe('untilAborted', () => {
  test('gives what the promise gives, and leaves no listener at the signal', async () => {
    const controller = new AbortController()
    const added: string[] = []
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    Object.assign(signal, {
      addEventListener: (...given: Parameters<typeof add>) => {
        added.push('added')
        add(...given)
      },
      removeEventListener: (...given: Parameters<typeof remove>) => {
        added.pop()
        remove(...given)
      },
    })
    expect(
      await untilAborted(
        later().then(() => 5),
        signal,
      ),
    ).toBe(5)
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    expect(added).toEqual([])
  })

  test('rejects with the reason, at once and later', async () => {
    const controller = new AbortController()
    const waiting = untilAborted(new Promise(() => undefined), controller.signal)
    controller.abort(new Error('stop'))
    await expect(waiting).rejects.toThrow('stop')
    await expect(
      untilAborted(Promise.reject(new Error('unheard')), controller.signal),
    ).rejects.toThrow('stop')
  })
})

describe('Lock', () => {
  test('is held by one, and wakes all that wait', async () => {
    const lock = new Lock()
    const order: string[] = []
    const holding = lock.hold(async () => {
      await later()
      order.push('first')
    })
    expect(lock.isHeld).toBe(true)
    await expect(lock.hold(later)).rejects.toThrow('that is held')
    const wait = async (name: string) => {
      while (lock.isHeld) await lock.untilFree()
      await lock.hold(async () => {
        order.push(name)
        await later()
      })
    }
    await Promise.all([holding, wait('second'), wait('third')])
    expect(order).toEqual(['first', 'second', 'third'])
    expect(lock.isHeld).toBe(false)
  })

  test('is released by work that fails', async () => {
    const lock = new Lock()
    const broken = lock.hold(() => Promise.reject(new Error('broken')))
    await expect(broken).rejects.toThrow('broken')
    expect(lock.isHeld).toBe(false)
  })
})

describe('SharedRun', () => {
  test('is aborted when the last that waits gives up, and not before', async () => {
    const first = new AbortController()
    const second = new AbortController()
    const run = new SharedRun((signal) => untilAborted(new Promise(() => undefined), signal))
    const waiting = [run.join(first.signal), run.join(second.signal)]
    first.abort(new Error('first'))
    await expect(waiting[0]).rejects.toThrow('first')
    expect(run.isAborted).toBe(false)
    second.abort(new Error('second'))
    await expect(waiting[1]).rejects.toThrow('second')
    expect(run.isAborted).toBe(true)
  })

  test('is never aborted while somebody waits without a signal', async () => {
    const controller = new AbortController()
    const run = new SharedRun(async () => {
      await later()
      return 'done'
    })
    const waiting = [run.join(controller.signal), run.join()]
    controller.abort(new Error('stop'))
    await expect(waiting[0]).rejects.toThrow('stop')
    expect(await waiting[1]).toBe('done')
  })
})
