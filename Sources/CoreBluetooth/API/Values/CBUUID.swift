// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothTypes
import Foundation

/// A UUID of 16, 32 or 128 bits: the type of a service, a characteristic or a descriptor.
///
/// The Bluetooth SIG assigns the short UUIDs. A short UUID is equal to the 128-bit UUID that it
/// abbreviates. An object keeps the width with which it was created. `data`, `uuidString` and
/// advertisements have this width.
///
/// Like Apple's class, it is not Sendable. It is immutable.
open class CBUUID: NSObject, NSCopying {
    let written: WrittenUUID

    init(_ written: WrittenUUID) {
        self.written = written
    }

    /// Creates the UUID `0000`, which the Bluetooth SIG assigns to nothing.
    ///
    /// Apple's class inherits this initializer from `NSObject`. Code uses it for placeholders.
    public override init() {
        written = WrittenUUID(BluetoothUUID(0))
    }

    /// Creates a UUID from 4 or 8 hexadecimal digits, or from 32 digits with the usual hyphens, in
    /// upper or lower case. `0x` before 4 or 8 digits is ignored.
    ///
    /// - Precondition: The text has one of these forms. As with Apple's class, other text ends the
    ///   process.
    public init(string theString: String) {
        guard let written = WrittenUUID(text: theString) else {
            Misuse.stop("String \(theString) does not represent a valid UUID")
        }
        self.written = written
    }

    /// Creates a UUID from its bytes, most significant byte first.
    ///
    /// - Precondition: There are 2, 4 or 16 bytes. As with Apple's class, other lengths end the
    ///   process.
    public init(data theData: Data) {
        guard let written = WrittenUUID(bytes: theData) else {
            let digits = [UInt8](theData).hexadecimal
            Misuse.stop("Data <\(digits)> does not represent a valid UUID")
        }
        self.written = written
    }

    /// Creates a 128-bit UUID from a Core Foundation UUID, which is an `NSUUID` on Linux.
    @available(*, deprecated, message: "use init(nsuuid:)")
    public convenience init(cfuuid theUUID: CFUUID) {
        self.init(string: theUUID.uuidString)
    }

    /// Creates a 128-bit UUID from a Foundation UUID.
    public init(nsuuid theUUID: UUID) {
        written = WrittenUUID(theUUID)
    }

    /// The bytes, most significant byte first: 2, 4 or 16, as the UUID was made.
    open var data: Data { Data(written.bytes) }

    /// The text in upper case: 4 or 8 digits, or 32 with hyphens, as the UUID was made.
    open var uuidString: String { written.text }

    /// Returns the object itself, because it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether `object` is the same UUID. A short UUID equals the long UUID that it
    /// abbreviates.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CBUUID)?.written.value == written.value
    }

    /// The hash value, which does not depend on the width.
    open override var hash: Int { written.value.hashValue }

    /// The name of a well-known service or descriptor; `uuidString` for other UUIDs.
    open override var description: String { Self.names[written.value] ?? uuidString }
}
