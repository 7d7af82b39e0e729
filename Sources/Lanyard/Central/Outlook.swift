// SPDX-License-Identifier: Apache-2.0

/// Whether there is Bluetooth, as shown on any thread.
final class Outlook: Sendable {
    private let shown = Guarded(Availability.unknown)
    private let hub = Hub<Availability>()

    var availability: Availability { shown.change { $0 } }

    func events() -> Events<Availability> {
        hub.events { [self.availability] }
    }

    func show(_ availability: Availability) {
        guard availability != self.availability else { return }
        hub.send {
            shown.change { $0 = availability }
            return availability
        }
    }

    func end() { hub.end() }
}
