// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import Foundation

/// A central's wish to read or write a dynamic characteristic of this device.
///
/// The delegate of the peripheral manager gets it on the manager's queue, and owes it an answer:
/// `CBPeripheralManager.respond(to:withResult:)`, once. For writes that come together one answer,
/// to the first of them, is enough.
open class CBATTRequest: NSObject {
    private let subject: (central: CBCentral, characteristic: CBCharacteristic, offset: Int)
    private let content: Guarded<Data?>

    /// The question of the server that the answer is for; nil if none is expected.
    let question: GATTServer.RequestID?

    init(
        from central: CBCentral,
        for characteristic: CBCharacteristic,
        offset: Int,
        value: Data?,
        question: GATTServer.RequestID?
    ) {
        subject = (central, characteristic, offset)
        content = Guarded(value)
        self.question = question
    }

    /// Who asks.
    open var central: CBCentral { subject.central }

    /// What is to be read or written.
    open var characteristic: CBCharacteristic { subject.characteristic }

    /// From which octet of the value on.
    open var offset: Int { subject.offset }

    /// What is to be written; or, for a read, what the application answers: the octets of its value
    /// from `offset` on. The system cuts it to what fits.
    open var value: Data? {
        get { content.read { $0 } }
        set { content.change { $0 = newValue } }
    }
}
