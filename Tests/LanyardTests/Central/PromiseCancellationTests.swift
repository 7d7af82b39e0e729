// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Promises with a canceled task")
struct PromiseCancellationTests {
    @Test("The cancellation closure runs once, whether it is set before or after the cancellation")
    func cancelled() async {
        for isEarly in [true, false] {
            let promise = Promise<Int>()
            let count = Locked(0)
            let waiting = Task { try await promise.wait() }
            if isEarly {
                waiting.cancel()
                _ = await waiting.result
            }
            promise.onCancel { count.change { $0 += 1 } }
            waiting.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await waiting.value }
            #expect(!promise.complete(.success(1)))
            #expect(count.change { $0 } == 1)
        }
    }

    @Test("The cancellation closure does not run after a result")
    func answered() async throws {
        let promise = Promise<Int>()
        let count = Locked(0)
        promise.onCancel { count.change { $0 += 1 } }
        promise.complete(.success(1))
        #expect(try await promise.wait() == 1)
        #expect(count.change { $0 } == 0)
    }
}
