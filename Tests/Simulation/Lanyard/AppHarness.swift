// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import LanyardTestSupport
import LanyardTesting
import Synchronization
import Testing

@testable import Lanyard

/// A phone with an app that keeps accessories connected.
///
/// All work runs on the thread of the world, in the body of `run`.
final class AppHarness: Sendable {
    /// The real time in which the objects of an ended process must be released.
    private static let releaseLimit = Duration.seconds(20)

    /// A violated invariant, with the events that led to it.
    struct InvariantViolation: Error, CustomStringConvertible {
        let description: String
    }

    let world: TestWorld
    let straps: [LiveAccessory]
    let store = MemoryAccessoryStore()
    let limit: Int?
    /// The radios of the app's composite adapter; `nil` if the app uses the phone's controller.
    let corridor: Corridor?
    let recorder: FlightRecorder?
    let adapter: CBAdapter
    private let isProtected: Bool
    let central = Mutex<AccessoryCentral?>(nil)
    private let watches = Mutex<[StateWatch]>([])

    /// Creates a phone with this many connection slots and this many accessories.
    ///
    /// - Parameters:
    ///   - rooms: The number of radios of the app's composite adapter. With 0, the app uses the
    ///     phone's controller.
    ///   - isProtected: Whether the accessories require pairing.
    ///   - isWritten: Whether all events are logged, which takes memory.
    init(
        seed: UInt64,
        straps: Int,
        limit: Int? = nil,
        interval: Duration = .milliseconds(100),
        rooms: Int = 0,
        isProtected: Bool = false,
        isWritten: Bool = true
    ) throws {
        let world = TestWorld(seed: seed)
        // The checkers must watch before the accessories send their first packets.
        world.air.world.watchInvariants()
        self.world = world
        self.limit = limit
        self.isProtected = isProtected
        recorder = isWritten ? FlightRecorder() : nil
        let corridor = rooms > 0 ? try Corridor(rooms: rooms, in: world) : nil
        self.corridor = corridor
        adapter = corridor?.makeAdapter() ?? world.phone.adapter
        self.straps = (0..<straps).map { number in
            let strap = Self.strap(number, interval, isProtected: isProtected)
            return world.add(strap, at: .meters(Double(number + 2)))
        }
    }

    private static func strap(
        _ number: Int,
        _ interval: Duration,
        isProtected: Bool
    ) -> VirtualAccessory {
        let values: [VirtualCharacteristic] = [
            .notifying("2A37", every: .seconds(1)) { [0x06, UInt8(60 + $0 % 40)] },
            .readable("2A38", [1]),
        ]
        return VirtualAccessory(
            "Strap \(number)",
            services: [
                VirtualService("180D", isProtected ? values.map { $0.protected() } : values)
            ],
            advertisingInterval: interval
        )
    }

    /// Returns the app's description of an accessory.
    func description(_ number: Int) -> AccessoryDescription {
        var description = AccessoryDescription(
            kind: "strap \(number)",
            matching: .all(.service("180D"), .name("Strap \(number)")),
            services: [ServiceDescription("180D", [.subscribe("2A37"), .read("2A38")])]
        )
        if isProtected { description.pairing = .required(probing: "2A38") }
        return description
    }

    /// The accessories of the current central.
    var accessories: [Accessory] { central.withLock { $0?.accessories ?? [] } }

    /// Runs `body` in the world, and checks that it leaves no state.
    func run<Value: Sendable>(
        for bound: Duration,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let value = try await world.run(for: bound) { [self] in
            beginApp()
            let value = try await body()
            try await endApp()
            return value
        }
        return value
    }

    // MARK: The app

    /// Starts a process of the app.
    func beginApp() {
        var configuration = world.phone.configuration
        configuration.adapter = adapter
        configuration.store = store
        configuration.recorder = recorder
        if let limit { configuration.connectionLimit = .fixed(limit) }
        let new = AccessoryCentral(
            for: straps.indices.map(description),
            configuration: configuration
        )
        central.withLock { $0 = new }
        for accessory in new.accessories { watch(accessory) }
    }

    /// Ends the process, and checks that its objects are released.
    func endApp() async throws {
        try await check()
        weak let driver = central.withLock { $0?.driver }
        await central.withLock { $0.take() }?.shutDown()
        try checkWatches()
        watches.withLock { $0 = [] }
        await world.phone.endApp()
        if corridor != nil { await adapter.shutDown() }
        let end = world.now + .seconds(30)
        while driver != nil, world.now < end { try await world.advance(by: .seconds(1)) }
        // Other threads may hold the driver for a moment, so this wait is in real time.
        let limit = ContinuousClock.now + Self.releaseLimit
        while driver != nil, ContinuousClock.now < limit { await Task.yield() }
        if driver != nil { throw failure("the driver of a central that has ended is still there") }
    }

    /// Pairs all accessories, one after the other.
    func pairAll() async throws {
        for number in straps.indices { try await pair(number) }
    }

    /// Pairs an accessory, and disconnects it if there are more accessories than connection slots.
    private func pair(_ number: Int) async throws {
        let central = central.withLock { $0 }
        guard let accessory = try await central?.pair(description(number)) else { return }
        watch(accessory)
        if let limit, limit < straps.count { try await accessory.disconnect() }
    }

    /// Ends all faults of the phone and the accessories.
    func endFaults() {
        adapter.isPoweredOn = true
        world.phone.disturb(losing: 0)
        for strap in straps {
            strap.disturb(losing: 0)
            strap.switchOn()
            strap.comeBack()
        }
    }

    private func watch(_ accessory: Accessory) {
        let watch = StateWatch(accessory, in: recorder == nil ? nil : world)
        watches.withLock { $0.append(watch) }
    }

    /// The number of slots that are used or awaited.
    var slotCount: Int {
        get async {
            guard let driver = central.withLock({ $0?.driver }) else { return 0 }
            return await DriverInspection.slotCount(in: driver)
        }
    }

    // MARK: Checks

    /// Throws if an invariant is violated.
    func check() async throws {
        try checkWatches()
        if let violation = world.air.world.violations.first {
            throw failure("\(violation.rule): \(violation)")
        }
        guard let driver = central.withLock({ $0?.driver }) else { return }
        if let violation = await DriverInspection.violation(in: driver) { throw failure(violation) }
    }

    private func checkWatches() throws {
        for watch in watches.withLock({ $0 }) {
            if let violation = watch.violation { throw failure(violation) }
        }
    }

    func failure(_ text: String) -> InvariantViolation {
        InvariantViolation(description: "\(text) (seed \(world.seed))\n\(log)")
    }

    /// All events so far, in order.
    private var log: String {
        let events = (recorder?.recording.events ?? []).map { ($0.time, $0.description) }
        let story = world.story.lines.map { ($0.time, "\($0)") }
        return (events + story).sorted { $0.0 < $1.0 }.map(\.1).joined(separator: "\n")
    }

    /// Waits until every accessory is ready and sends its values.
    func expectAllReady(within limit: Duration) async throws {
        let end = world.now + limit
        while !accessories.allSatisfy({ $0.state == .ready }) {
            guard world.now < end else {
                let states = accessories.map {
                    "\($0.id): \($0.latestChange)"
                }
                throw failure("not all accessories are ready: \(states.joined(separator: "\n"))")
            }
            try await world.advance(by: .milliseconds(100))
        }
        for accessory in accessories { try await expectValue(of: accessory) }
    }

    /// Expects that a value of a ready accessory arrives. An accessory sends one every second.
    private func expectValue(of accessory: Accessory) async throws {
        let values = try accessory.values(of: "2A37")
        let came = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in values { return true }
                return false
            }
            group.addTask { [world] in
                try await world.advance(by: .seconds(5))
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        guard came else { throw failure("\(accessory.id) is ready, and sends nothing") }
    }
}
