// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// What a service, a characteristic or a descriptor is: a UUID of 16, 32 or 128 bits.
///
/// The short ones are assigned by the Bluetooth SIG and stand for a UUID on the Bluetooth base UUID,
/// to which they are equal. An object keeps the width in which it was made: that is how `data` and
/// `uuidString` show it, and how it is advertised.
///
/// Like Apple's it is not Sendable; it never changes.
open class CBUUID: NSObject, NSCopying {
    let form: Form

    init(_ form: Form) {
        self.form = form
    }

    /// Makes a UUID from text: 4 or 8 hexadecimal digits, or 32 with the usual hyphens, in either
    /// case. In front of the short forms `0x` is overlooked.
    ///
    /// - Precondition: The text has one of these forms; any other traps, as it does on Apple's.
    public init(string theString: String) {
        guard let form = Form(text: theString) else {
            Misuse.stop("String \(theString) does not represent a valid UUID")
        }
        self.form = form
    }

    /// Makes a UUID from its octets, the most significant first.
    ///
    /// - Precondition: There are 2, 4 or 16 octets; any other number traps, as it does on Apple's.
    public init(data theData: Data) {
        guard let form = Form(octets: theData) else {
            let digits = [UInt8](theData).hexadecimal
            Misuse.stop("Data <\(digits)> does not represent a valid UUID")
        }
        self.form = form
    }

    /// Makes a UUID of 128 bits from Core Foundation's, for which `NSUUID` stands on Linux.
    @available(*, deprecated, message: "use init(nsuuid:)")
    public convenience init(cfuuid theUUID: CFUUID) {
        self.init(string: theUUID.uuidString)
    }

    /// Makes a UUID of 128 bits from Foundation's.
    public init(nsuuid theUUID: UUID) {
        form = Form(theUUID)
    }

    /// The octets, the most significant first: 2, 4 or 16 of them, as the UUID was made.
    open var data: Data { Data(form.octets) }

    /// The text in upper case: 4 or 8 digits, or 32 with hyphens, as the UUID was made.
    open var uuidString: String { form.text }

    /// The object itself: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether both are the same UUID; a short one is the same as the long one it stands for.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CBUUID)?.form.value == form.value
    }

    /// The same for all widths of a UUID.
    open override var hash: Int { form.value.hashValue }

    /// What the UUID is called if it is a well-known service; otherwise `uuidString`.
    open override var description: String { Self.names[form.value] ?? uuidString }
}
