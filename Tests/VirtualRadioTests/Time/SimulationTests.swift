// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

/// Tickers that record their ticks, each after a random interval.
private struct Tickers: Simulation {
    enum Event: Equatable { case tick(Int), halt, spin }

    var timeline = EventTimeline<Event>(instantLimit: 1_000)
    var trace: [String] = []
    private var generator: [RandomStream] = []

    init(seed: UInt64 = 0, count: Int = 0) {
        for number in 0..<count {
            generator.append(WorldSeed(seed).stream("ticker", UInt64(number)))
            timeline.schedule(.tick(number), at: .zero)
        }
    }

    mutating func handle(_ event: Event) {
        trace.append("\(timeline.now) \(event)")
        switch event {
        case .tick(let number):
            let pause = generator[number].uniform(below: 10_000)
            timeline.schedule(event, after: .microseconds(Int64(pause) + 1))
        case .spin: timeline.schedule(.spin, after: .zero)
        case .halt: break
        }
    }
}

@Suite struct SimulationTests {
    @Test("A run handles the due events and stops at its end")
    func runForDuration() {
        var world = Tickers()
        world.timeline.schedule(.halt, after: .seconds(1))
        world.timeline.schedule(.halt, after: .seconds(2))
        world.timeline.schedule(.halt, after: .seconds(3))
        #expect(world.run(for: .seconds(2)) == .reached)
        #expect(world.trace.count == 2)
        #expect(world.timeline.now == .zero + .seconds(2))
        #expect(world.run(until: .zero + .milliseconds(2_500)) == .reached)
        #expect(world.timeline.now == .zero + .milliseconds(2_500))
        #expect(world.trace.count == 2)
    }

    @Test("A run until an instant in the past does nothing")
    func runUntilPast() {
        var world = Tickers(seed: 1, count: 1)
        world.run(for: .seconds(1))
        let before = world.trace
        #expect(world.run(until: .zero) == .reached)
        #expect(world.trace == before)
        #expect(world.timeline.now == .zero + .seconds(1))
    }

    @Test("A run until a condition stops at the event that makes the condition true")
    func runUntilCondition() {
        var world = Tickers(seed: 1, count: 3)
        #expect(world.run(until: { $0.trace.count == 10 }, bound: .seconds(60)) == .reached)
        #expect(world.trace.count == 10)
        #expect(world.run(until: { _ in true }, bound: .seconds(60)) == .reached)
        #expect(world.trace.count == 10)
    }

    @Test("A run stops at its bound if the condition stays false")
    func conditionBound() {
        var world = Tickers(seed: 1, count: 1)
        #expect(world.run(until: { _ in false }, bound: .seconds(1)) == .boundReached)
        #expect(world.timeline.now == .zero + .seconds(1))
        var silent = Tickers()
        #expect(silent.run(until: { _ in false }, bound: .seconds(1)) == .boundReached)
        #expect(silent.timeline.now == .zero + .seconds(1))
    }

    @Test("An idle world stays at its last event")
    func idle() {
        var world = Tickers()
        world.timeline.schedule(.halt, after: .milliseconds(5))
        #expect(world.runUntilIdle(bound: .seconds(1)) == .reached)
        #expect(world.timeline.now == .zero + .milliseconds(5))
        #expect(world.runUntilIdle(bound: .seconds(1)) == .reached)
    }

    @Test("A run until idle stops at its bound")
    func idleBound() {
        var world = Tickers(seed: 1, count: 1)
        #expect(world.runUntilIdle(bound: .seconds(1)) == .boundReached)
        #expect(world.timeline.now == .zero + .seconds(1))
    }

    @Test("Each run reports a stalled timeline")
    func stalled() {
        var world = Tickers()
        world.timeline.schedule(.spin, at: .zero)
        #expect(world.run(for: .seconds(1)) == .stalled)
        #expect(world.trace.count == 1_000)
        #expect(world.runUntilIdle(bound: .seconds(1)) == .stalled)
        #expect(world.run(until: { _ in false }, bound: .seconds(1)) == .stalled)
        #expect(world.timeline.now == .zero)
    }

    @Test("The same seed gives the same trace in every run")
    func sameSeed() {
        func trace(seed: UInt64) -> [String] {
            var world = Tickers(seed: seed, count: 5)
            world.run(for: .milliseconds(200))
            return world.trace
        }
        let first = trace(seed: 7)
        #expect(first.count > 100)
        for _ in 0..<100 { #expect(trace(seed: 7) == first) }
        #expect(trace(seed: 8) != first)
    }

    @Test("An added ticker does not change the ticks of other tickers")
    func addedTicker() {
        func trace(count: Int) -> [String] {
            var world = Tickers(seed: 7, count: count)
            world.run(for: .milliseconds(200))
            return world.trace.filter { !$0.hasSuffix("tick(3)") }
        }
        #expect(trace(count: 3) == trace(count: 4))
    }
}
