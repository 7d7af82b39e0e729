// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Logging

/// Feeds the cores what Core Bluetooth reports and what the application wishes, and does what they say.
///
/// Every way in is a turn on `queue`: a callback, a timer, or `enter`. One input goes to its machine; what
/// the machine says is done in order; inputs that arise meanwhile wait in the inbox; the turn ends when that
/// is empty.
///
/// Unchecked: all that varies is touched on `queue`, which every way in checks; what is read elsewhere are
/// the mirrors, which guard themselves.
final class CentralDriver: NSObject, @unchecked Sendable {
    /// How many accessories there may be.
    static let accessoryLimit = 10_000
    /// How many inputs one turn may bring forth. More would be a machine that runs in circles.
    static let inboxLimit = 100_000

    // MARK: What never changes

    let roster = Roster()
    let outlook = Outlook(Availability.unknown)
    let slots: Outlook<ConnectionSlots>
    let queue: DispatchQueue
    let timekeeper: any Timekeeper
    let configuration: AccessoryCentral.Configuration
    let descriptions: [AccessoryDescription]
    let store: any AccessoryStore
    let log = Logger(label: "Lanyard")

    // MARK: What is touched on the queue

    var manager: CBCentralManager?
    var keepers: [AccessoryKeeper] = []
    var identities = IdentityBook()
    var pool: LinkPool
    var scans = ScanPlan()
    var watches: [Int: PresenceWatch] = [:]
    var generator: SeededGenerator
    var inbox: [(AccessoryKeeper, Machine.Event)] = []
    var isDraining = false
    var lastNumber = 0
    /// Devices that were reported, to keep records short.
    var reported: Set<UUID> = []
    /// What the system gave back that is nobody's.
    var strays: [CBPeripheral] = []
    var poolTimer: (any TimekeeperTimer)?
    /// What the store has failed to do.
    var backlog = StoreBacklog()
    var storeTimer: (any TimekeeperTimer)?
    var hasEnded = false

    typealias Machine = AccessoryMachine<CBPeripheral>

    init(
        _ descriptions: [AccessoryDescription],
        _ configuration: AccessoryCentral.Configuration
    ) {
        precondition(
            Set(descriptions.map(\.kind)).count == descriptions.count,
            "two descriptions are of one kind"
        )
        self.descriptions = descriptions
        self.configuration = configuration
        timekeeper = configuration.timekeeper
        store = configuration.store ?? .standard(configuration.name)
        queue = DispatchQueue(label: "lanyard.\(configuration.name)")
        let pool = LinkPool(limit: configuration.connectionLimit, policy: configuration.policy)
        self.pool = pool
        slots = Outlook(pool.state(now: configuration.timekeeper.now))
        generator = SeededGenerator(configuration.seed ?? .random(in: .min ... .max))
        super.init()
        poolTimer = timekeeper.makeTimer(on: queue) { [weak self] in self?.poolDeadlinePassed() }
        storeTimer = timekeeper.makeTimer(on: queue) { [weak self] in self?.catchUpWithStore() }
        recallAccessories()
    }

    /// Goes to work. On Linux the adapter is opened here.
    func begin() {
        enter { driver in
            var options: [String: Any] = [:]
            options[CBCentralManagerOptionRestoreIdentifierKey] = driver.restoreIdentifier
            #if os(Linux)
                options[CBManagerOptionAdapterKey] = driver.configuration.adapter
            #endif
            driver.manager = CBCentralManager(
                delegate: driver,
                queue: driver.queue,
                options: options
            )
            driver.wishForRemembered()
            driver.updateStoreTimer()
        }
    }

    private var restoreIdentifier: String? {
        let identifier = configuration.restores ? "lanyard.\(configuration.name)" : nil
        return RestorationPermit.permitted(identifier, for: .central)
    }

    var now: Duration { timekeeper.now }

    /// A turn on the queue, behind those that wait; or, if all has ended by then, what is instead of it.
    func enter(
        orElse end: @escaping @Sendable () -> Void = {},
        _ turn: @escaping @Sendable (CentralDriver) -> Void
    ) {
        timekeeper.perform(on: queue) { self.hasEnded ? end() : turn(self) }
    }

    /// Writes down what happens.
    func record(
        _ lane: FlightEvent.Lane,
        _ text: String,
        _ keeper: AccessoryKeeper?,
        detail: @autoclosure () -> String? = nil
    ) {
        guard let recorder = configuration.recorder else { return }
        recorder.record(lane, text, of: keeper?.name ?? "", at: now, detail: detail())
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// Chance that is the same for the same seed (SplitMix64).
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
