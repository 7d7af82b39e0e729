// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// Returns a protected door lock. Only a paired central can read whether it is locked, and only
    /// a central that paired with protection against a man in the middle can lock and unlock it.
    ///
    /// The lock has a display and a button. Pairing therefore uses the comparison or the entry of
    /// six digits. A central without input and output pairs without this protection, and can only
    /// read.
    public static func doorLock(name: String) -> SimpleAccessoryProfile {
        let lock = Service(
            BluetoothUUID.example(0x1C00),
            [
                Characteristic(
                    lockState,
                    [.read, .notify],
                    value: [1],
                    descriptors: [.userDescription("Locked (1) or unlocked (0)")],
                    requirement: .encrypted
                ),
                Characteristic(
                    lockControl,
                    .write,
                    descriptors: [.userDescription("Lock (1) or unlock (0)")],
                    reaction: WriteReaction { written, values in
                        guard written.count == 1 else {
                            return .refused(.invalidAttributeValueLength)
                        }
                        guard written[0] <= 1 else { return .refused(.valueNotAllowed) }
                        values[lockState] = written
                        let news = ValueStream(every: .zero, limit: 1) { _ in written }
                        return .accepted([.send(news, of: lockState)])
                    },
                    requirement: .authenticated
                ),
            ]
        )
        return SimpleAccessoryProfile(
            name: name,
            appearance: 0x0708,  // Door lock
            services: [lock, battery(level: 64)],
            pairing: AccessoryPairing(.displayYesNo)
        )
    }

    private static let lockState = BluetoothUUID.example(0x1C01)
    private static let lockControl = BluetoothUUID.example(0x1C02)
}
