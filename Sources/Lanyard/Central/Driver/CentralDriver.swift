// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Logging

/// The driver that passes the events of the system and the calls of the app to the state machines,
/// and performs their actions.
///
/// All work runs in turns on `queue`. A turn begins with an event of the system, a timer, or
/// `execute`. The driver passes the event to its state machine, and performs the resulting actions
/// in order. Events that arise meanwhile wait in the inbox. The turn ends when the inbox is empty.
///
/// Unchecked: the thread that creates the driver uses the mutable state before `begin()`. From then
/// on, the state is used on `queue` only. Other threads use only the immutable properties and the
/// snapshots (`AccessorySnapshot`).
final class CentralDriver: @unchecked Sendable {
    /// The maximum number of accessories that the driver takes from the store. Pairings can add
    /// more.
    static let accessoryLimit = 10_000
    /// The maximum number of `endingPeripherals`. Beyond it, the oldest are released.
    static let endingLimit = 64
    /// The maximum number of events in one turn. More would mean that a state machine loops.
    static let inboxLimit = 100_000

    // MARK: Immutable state

    let accessoryList = AccessoryList()
    let procedureNumbers = ProcedureNumbers()
    let availability = ObservableValue(Availability.unknown)
    let slots: ObservableValue<ConnectionSlots>
    let queue: DispatchQueue
    let timekeeper: any Timekeeper
    let configuration: AccessoryCentral.Configuration
    let descriptions: [AccessoryDescription]
    /// The indices of the descriptions, by the names that their matchers require.
    let descriptionIndices: NameTable<Int>
    private(set) var store: any AccessoryStore
    /// Whether the app is in the background.
    let isInBackground = Locked(false)
    /// The running central that the driver takes over; `nil` if the driver creates its own.
    let adoption: AdoptedCentral?
    let log = Logger(label: "Lanyard")

    // MARK: State of the queue

    /// The central of the system; `nil` before the start and after the end.
    var system: (any SystemCentral)?
    var entries: [AccessoryEntry] = []
    var index = AccessoryEntryIndex()
    /// The records with `isScannedForRediscovery`.
    var rediscoveries: [AccessoryEntry] = []
    var identities = IdentityRegistry()
    var pool: LinkPool
    var scans = ScanPlan()
    var watches: [Int: PresenceWatch] = [:]
    var generator: SeededGenerator
    var inbox: [(AccessoryEntry, Machine.Event)] = []
    var isDraining = false
    var lastNumber = 0
    /// The devices whose first discovery was recorded.
    var reported: Set<UUID> = []
    /// The restored or adopted peripherals that belong to no accessory, or to one that has another
    /// peripheral.
    var unclaimedPeripherals: [SystemPeripheral] = []
    /// The peripherals whose links, or attempts to connect, are being ended. They are retained
    /// until the system has reported the end.
    var endingPeripherals: [SystemPeripheral] = []
    var poolTimer: (any TimekeeperTimer)?
    /// The reads and writes that the store failed to complete.
    var backlog = StoreBacklog()
    var storeTimer: (any TimekeeperTimer)?
    var hasEnded = false

    typealias Machine = AccessoryMachine<SystemPeripheral>

    init(
        _ descriptions: [AccessoryDescription],
        _ configuration: AccessoryCentral.Configuration,
        adopting adoption: AdoptedCentral? = nil
    ) {
        precondition(
            Set(descriptions.map(\.kind)).count == descriptions.count,
            "two descriptions have the same kind"
        )
        self.descriptions = descriptions
        descriptionIndices = NameTable(descriptions.map(\.matcher.name))
        self.configuration = configuration
        timekeeper = configuration.timekeeper
        store = configuration.store ?? .standard(configuration.name)
        self.adoption = adoption
        queue = adoption?.queue ?? DispatchQueue(label: "lanyard.\(configuration.name)")
        let pool = LinkPool(limit: configuration.connectionLimit, policy: configuration.policy)
        self.pool = pool
        slots = ObservableValue(pool.state(now: configuration.timekeeper.now))
        generator = SeededGenerator(configuration.seed ?? .random(in: .min ... .max))
        poolTimer = timekeeper.makeTimer(on: queue) { [weak self] in self?.poolDeadlinePassed() }
        storeTimer = timekeeper.makeTimer(on: queue) { [weak self] in self?.catchUpWithStore() }
        if var file = store as? FileAccessoryStore {
            file.movedAside = { [weak self] in self?.reportSetAside($0) }
            store = file
        }
        recallAccessories()
    }

    /// Starts the system's central, or takes over the adopted one, and connects the remembered
    /// accessories.
    func begin() {
        execute { driver in
            if let adoption = driver.adoption { return driver.takeOver(adoption) }
            driver.begin(
                driver.configuration.system.makeCentral(
                    restoring: driver.restoreIdentifier,
                    on: driver.queue
                )
            )
            driver.connectRemembered()
            driver.updateStoreTimer()
        }
    }

    /// Starts the central of the system.
    func begin(_ system: any SystemCentral) {
        self.system = system
        system.begin { [weak self] in self?.receive($0) }
    }

    private var restoreIdentifier: String? {
        let identifier = configuration.restores ? "lanyard.\(configuration.name)" : nil
        return RestorationPermit.permitted(identifier, for: .central)
    }

    /// Sets whether the app is in the background. Several calls take effect in their order.
    func setInBackground(_ isInBackground: Bool) {
        self.isInBackground.change { now in
            now = isInBackground
            execute { driver in
                driver.record(.note, "in the \(isInBackground ? "background" : "foreground")", nil)
                driver.scans.setInBackground(isInBackground)
                driver.system?.setInBackground(isInBackground)
                driver.updateScan()
            }
        }
    }

    var now: Duration { timekeeper.now }

    /// Calls `body` on the queue, in the order of the calls. If the driver has ended by then, calls
    /// `end` instead.
    func execute(
        orElse end: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (CentralDriver) -> Void
    ) {
        timekeeper.perform(on: queue) { self.hasEnded ? end() : body(self) }
    }

    func record(
        _ lane: FlightEvent.Lane,
        _ text: String,
        _ entry: AccessoryEntry?,
        detail: @autoclosure () -> String? = nil
    ) {
        guard let recorder = configuration.recorder else { return }
        recorder.record(lane, text, of: entry?.name ?? "", at: now, detail: detail())
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// A random number generator that repeats its output for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
