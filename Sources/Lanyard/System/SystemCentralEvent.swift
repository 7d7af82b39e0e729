// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// An event of a `SystemCentral`.
package enum SystemCentralEvent: Sendable {
    /// The availability of Bluetooth changed. If it is not `poweredOn`, all links have ended.
    case availabilityChanged(Availability)
    /// The system preserved these peripherals and this scan while the app did not run. Precedes
    /// every other event.
    case restored([SystemPeripheral], scan: PlannedScan?)
    /// The scan discovered a device.
    case discovered(SystemPeripheral, Discovery)
    /// A link was made.
    case connected(SystemPeripheral)
    /// A connection request has failed.
    case failedToConnect(SystemPeripheral, LinkFailure?)
    /// A link, or a canceled connection request, has ended; without a failure if the app ended it.
    case disconnected(SystemPeripheral, LinkFailure?, isReconnecting: Bool)
    /// An event of a connected peripheral; with a failure if the request that it answers failed.
    case peripheral(SystemPeripheral, SystemPeripheralEvent, LinkFailure?)
}

/// An event of a connected peripheral. The table of the peripheral (`SystemPeripheral.attributes`)
/// changes before the event.
package enum SystemPeripheralEvent: Sendable {
    case nameChanged
    /// Services with these UUIDs are no longer valid. If the set is empty, services may have been
    /// added.
    case servicesModified(Set<BluetoothID>)
    case servicesDiscovered
    case includedServicesDiscovered(of: SystemAttribute)
    case characteristicsDiscovered(of: SystemAttribute)
    case descriptorsDiscovered(of: SystemAttribute)
    /// A subscription began or ended: `SystemAttribute.isNotifying`.
    case subscriptionChanged(SystemAttribute)
    /// A value of a characteristic was sent by the peripheral, or read.
    case value(Data, of: SystemAttribute)
    /// A descriptor was read.
    case descriptorRead(DescriptorContent, of: SystemAttribute)
    /// A characteristic was written with response.
    case written(SystemAttribute)
    /// There is room again for writes without response.
    case hasRoom
    /// The signal strength in dBm was measured; ``unknownSignal`` if the controller does not know
    /// it.
    case signal(Int)
    /// A channel was opened; `nil` if that failed.
    case channelOpened(SystemChannel?)

    /// The number that Core Bluetooth reports instead of an unknown signal strength.
    static let unknownSignal = 127
}

/// An open L2CAP channel, whose streams are not yet open.
package struct SystemChannel: Sendable {
    /// The number of the channel.
    package let psm: UInt16
    /// Creates the streams, once. Their calls and events are on the queue.
    package let makeStreams:
        @Sendable (_ queue: DispatchQueue, _ timekeeper: any Timekeeper) -> any ByteStreams

    package init(
        psm: UInt16,
        makeStreams: @escaping @Sendable (DispatchQueue, any Timekeeper) -> any ByteStreams
    ) {
        self.psm = psm
        self.makeStreams = makeStreams
    }
}

/// The two streams of a channel. Used on one queue. Releasing them closes them.
package protocol ByteStreams: AnyObject {
    /// Opens the streams; `receiver` is called on the queue. Must be called once.
    func open(_ receiver: @escaping @Sendable (ByteStreamEvent) -> Void)
    /// Closes the streams; no further event follows.
    func close()
    /// Returns some of the bytes that have arrived; `nil` if there are none now.
    func read() -> Data?
    /// Writes as many bytes as there is room for now, and returns their number.
    func write(_ bytes: Data) -> Int
}

/// An event of the streams of a channel.
package enum ByteStreamEvent: Sendable {
    /// There are bytes to read. Repeated only after a read.
    case readable
    /// There is room to write. Repeated only after a write.
    case writable
    /// No more bytes can be written, because the channel was closed or lost. The bytes that have
    /// arrived can still be read. `ended` follows when they are.
    case outputEnded
    /// The channel was closed, or was lost for this reason. This is the last event.
    case ended(LinkFailure?)
}
