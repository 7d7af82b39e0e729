// SPDX-License-Identifier: Apache-2.0

/// The list of the devices nearby, made from presence events.
///
/// A device appears as in its latest event, so small changes of its signal do not change the order.
struct NearbyList {
    /// The present devices in the order of their discovery.
    private var present: [PresentDevice] = []
    /// The lost devices, most recently lost first.
    private var lost: [PresentDevice] = []

    /// Applies a presence event.
    mutating func apply(_ event: PresenceEvent) {
        let device = event.device
        switch event {
        case .discovered:
            lost.removeAll { $0.identity == device.identity }
            present.append(device)
        case .updated:
            guard let index = index(of: device) else { return }
            present[index] = device
        case .lost(_, let loss):
            guard let index = index(of: device) else { return }
            present.remove(at: index)
            guard loss != .merged else { return }
            lost.insert(device, at: 0)
            if lost.count > NearbyDevices.lostLimit { lost.removeLast() }
        }
    }

    /// Returns the list.
    ///
    /// - Parameter known: The identities of the accessories that the central knows.
    func devices(known: Set<AccessoryIdentity>) -> NearbyDevices {
        // The sort need not be stable, so the order of discovery is part of the comparison.
        let sorted = present.enumerated().sorted { one, other in
            let signals = (
                one.element.signal ?? -.infinity, other.element.signal ?? -.infinity
            )
            return signals.0 == signals.1 ? one.offset < other.offset : signals.0 > signals.1
        }
        func entry(_ device: PresentDevice) -> NearbyDevice {
            NearbyDevice(device, isKnown: known.contains(device.identity))
        }
        return NearbyDevices(
            devices: sorted.map { entry($0.element) },
            lost: lost.map(entry)
        )
    }

    private func index(of device: PresentDevice) -> Int? {
        present.firstIndex { $0.identity == device.identity }
    }
}
