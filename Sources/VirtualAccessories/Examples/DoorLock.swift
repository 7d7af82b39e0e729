// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

extension AccessoryProfile {
    /// A door lock, which is protected: whether it is locked, only a paired Central learns; and only
    /// one that paired with protection against a man in the middle may lock and unlock it.
    ///
    /// It has a display and a button. So a Central compares six digits with it, or has those entered
    /// that it shows, or, with nobody in front of it, may look and not touch.
    public static func doorLock(name: String) -> AccessoryProfile {
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
        return AccessoryProfile(
            name: name,
            appearance: 0x0708,  // Door lock
            services: [lock, battery(level: 64)],
            pairing: AccessoryPairing(.displayYesNo)
        )
    }

    private static let lockState = BluetoothUUID.example(0x1C01)
    private static let lockControl = BluetoothUUID.example(0x1C02)
}
