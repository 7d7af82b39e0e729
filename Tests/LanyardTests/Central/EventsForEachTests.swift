// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Event sequences with closures")
struct EventsForEachTests {
    @Test("A closure receives events in order, each after the previous call has returned")
    func order() async {
        let hub = Hub<Int>()
        let (numbers, received) = AsyncStream<Int>.makeStream()
        let observation = hub.events { [1, 2] }.forEach { number in
            received.yield(number)
            await Task.yield()
            received.yield(-number)
        }
        hub.send { 3 }
        var all: [Int] = []
        for await number in numbers.prefix(6) { all.append(number) }
        #expect(all == [1, -1, 2, -2, 3, -3])
        withExtendedLifetime(observation) {}
    }

    @Test(
        "A closure receives no event after the end of its observation, not even a waiting one",
        arguments: [true, false]
    )
    func over(byCancelling: Bool) async {
        let hub = Hub<Int>()
        let (numbers, received) = AsyncStream<Int>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        var observation: ObservationToken? = {
            // The stream of received numbers ends when the closure is released.
            let end = DeinitObserver { received.finish() }
            return hub.events().forEach { [end] number in
                received.yield(number)
                for await _ in gate {}
                withExtendedLifetime(end) {}
            }
        }()
        for number in 1...3 { hub.send { number } }
        var iterator = numbers.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        if byCancelling { observation?.cancel() } else { observation = nil }
        hub.send { 4 }
        opening.finish()
        #expect(await iterator.next() == nil)
        withExtendedLifetime(observation) {}
    }

    @Test("An observation ends with its source")
    func ended() async {
        let hub = Hub<Int>()
        let (numbers, received) = AsyncStream<Int>.makeStream()
        let observation: ObservationToken = {
            let end = DeinitObserver { received.finish() }
            return hub.events { [1] }.forEach { [end] number in
                received.yield(number)
                withExtendedLifetime(end) {}
            }
        }()
        hub.end()
        var iterator = numbers.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        #expect(await iterator.next() == nil)
        withExtendedLifetime(observation) {}
    }
}

/// An object that calls a closure when it is released.
private final class DeinitObserver: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}
