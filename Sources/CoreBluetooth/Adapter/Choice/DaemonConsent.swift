// SPDX-License-Identifier: Apache-2.0

import BlueZAdapter
import BluetoothClients
import BluetoothHost
import BluetoothPort
import BluetoothSMP
import HCITransports

/// The object that answers the daemon's questions about pairings. It forwards them to the
/// app's `CBAdapter.pairingDelegate`.
///
/// Without a delegate, only a pairing that needs no digits is accepted: a pairing that the app
/// started, or any pairing while the app publishes a value or channel that requires encryption.
final class DaemonConsent: DaemonPairingDelegate {
    private let consent: PairingConsent
    private let lastNumber = Lock<UInt64>(0)

    init(_ switches: LockedState<AdapterSwitches>) {
        consent = PairingConsent(switches)
    }

    var capability: DaemonCapability {
        switch consent.switches.current.effectiveIOCapability {
        case .displayOnly: .displayOnly
        case .displayYesNo: .displayYesNo
        case .keyboardOnly: .keyboardOnly
        case .noInputNoOutput: .noInputNoOutput
        case .keyboardDisplay: .keyboardDisplay
        }
    }

    func consents(to pairing: DaemonPairing) async -> Bool {
        await consent.consents(to: request(.justWorks, pairing))
    }

    func confirms(_ digits: UInt32, of pairing: DaemonPairing) async -> Bool {
        guard let digits = PairingDigits(digits) else { return false }
        return await consent.confirms(digits, of: request(.numericComparison, pairing))
    }

    func show(_ digits: UInt32, of pairing: DaemonPairing) async {
        guard let digits = PairingDigits(digits) else { return }
        await consent.show(digits, of: request(.passkeyDisplay, pairing))
    }

    func enterDigits(for pairing: DaemonPairing) async -> UInt32? {
        // The daemon sends no keypresses.
        let entry = DigitEntry { _ in }
        return await consent.enterDigits(for: request(.passkeyEntry, pairing), entry)?.value
    }

    private func request(_ method: Pairing.Method, _ pairing: DaemonPairing) -> PairingRequest {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        return PairingRequest(
            id: PairingRequest.ID(number: number),
            address: pairing.address,
            link: nil,
            method: method,
            isIncoming: pairing.isIncoming
        )
    }
}
