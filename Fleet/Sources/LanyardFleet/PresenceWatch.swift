// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Synchronization

/// The presence of all accessories of a fleet, whether or not this host holds their leases.
final class PresenceWatch: Sendable {
    private let state = Mutex<(central: AccessoryCentral?, task: Task<Void, Never>?)>((nil, nil))

    /// Begins to scan.
    func start(
        _ accessories: [FleetAccessory],
        configuration: AccessoryCentral.Configuration,
        report: @escaping @Sendable (_ id: String, _ rssi: Int?, _ isPresent: Bool) -> Void
    ) {
        let central = AccessoryCentral(for: [], configuration: configuration)
        let task = Task {
            await withDiscardingTaskGroup { group in
                for accessory in accessories {
                    let matcher = accessory.description.matcher
                    guard let events = try? central.presence(matching: matcher) else { continue }
                    group.addTask { await Self.follow(accessory.id, events, report) }
                }
            }
        }
        state.withLock { $0 = (central, task) }
    }

    private static func follow(
        _ id: String,
        _ events: Events<PresenceEvent>,
        _ report: @Sendable (String, Int?, Bool) -> Void
    ) async {
        // Several devices may match. The accessory is present while one of them is.
        var present: Set<AccessoryIdentity> = []
        for await event in events {
            switch event {
            case .discovered(let device): present.insert(device.identity)
            case .lost(let device, _): present.remove(device.identity)
            case .updated: break
            }
            report(id, event.device.signal.map { Int(max(-128, min(127, $0))) }, !present.isEmpty)
        }
    }

    /// Whether Bluetooth is available.
    var isAvailable: Bool { state.withLock { $0.central?.availability == .poweredOn } }

    /// Ends the scan.
    func stop() async {
        let (central, task) = state.withLock { $0 }
        task?.cancel()
        await central?.shutDown()
    }
}
