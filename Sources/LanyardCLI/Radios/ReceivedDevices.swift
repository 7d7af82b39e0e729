// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes
import Synchronization

/// The devices that the radios have received, with their names.
final class ReceivedDevices: Sendable {
    fileprivate struct State {
        var names: [DeviceAddress: String] = [:]
        /// The addresses in the order of their first report.
        var order: [DeviceAddress] = []
        var connected: DeviceAddress?
    }

    /// The maximum number of devices. Beyond it, the device that was added first is removed.
    static let limit = 500

    private let state = Mutex(State())

    /// The devices, in the order of their first report, and the one with a link.
    var all: (devices: [(address: DeviceAddress, name: String?)], connected: DeviceAddress?) {
        state.withLock { state in
            (state.order.map { ($0, state.names[$0]) }, state.connected)
        }
    }

    /// Receives advertisements until there are no more.
    func receive(_ scan: AsyncThrowingStream<Advertisement, any Error>) async throws {
        for try await advertisement in scan {
            state.withLock { $0.add(advertisement.address, advertisement.data.localName) }
        }
    }

    /// Records the device that has a link.
    func connected(_ address: DeviceAddress, name: String?) {
        state.withLock { state in
            state.connected = address
            state.add(address, name)
        }
    }
}

extension ReceivedDevices.State {
    fileprivate mutating func add(_ address: DeviceAddress, _ name: String?) {
        if !order.contains(address) {
            if order.count >= ReceivedDevices.limit { names[order.removeFirst()] = nil }
            order.append(address)
        }
        if let name { names[address] = name }
    }
}
