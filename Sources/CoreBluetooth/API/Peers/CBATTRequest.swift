// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// A central's request to read or write a dynamic characteristic of this device.
///
/// The delegate of the peripheral manager receives it on the manager's queue. The app
/// answers it once, with `CBPeripheralManager.respond(to:withResult:)`. One call answers writes
/// that arrive together, usually with the first of them. To refuse them because of another write,
/// pass that write: the response to the central then names its attribute.
open class CBATTRequest: NSObject {
    private let subject: (central: CBCentral, characteristic: CBCharacteristic, offset: Int)
    private let content: LockedState<Data?>

    /// The server's identifier of the request; `nil` if no answer is expected.
    let requestID: GATTServer.RequestID?

    /// The attribute to write, which an Error Response names; `nil` for a read.
    let handle: AttributeHandle?

    init(
        from central: CBCentral,
        for characteristic: CBCharacteristic,
        offset: Int,
        value: Data?,
        requestID: GATTServer.RequestID?,
        handle: AttributeHandle? = nil
    ) {
        subject = (central, characteristic, offset)
        content = LockedState(value)
        self.requestID = requestID
        self.handle = handle
    }

    /// The central that made the request.
    open var central: CBCentral { subject.central }

    /// The characteristic to read or write.
    open var characteristic: CBCharacteristic { subject.characteristic }

    /// The index of the first byte of the value that the request concerns.
    open var offset: Int { subject.offset }

    /// The bytes to write. For a read, the bytes that the app answers with: its value from
    /// `offset` on. The system truncates them to the length that fits.
    open var value: Data? {
        get { content.read { $0 } }
        set { content.change { $0 = newValue } }
    }
}
