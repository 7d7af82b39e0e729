// SPDX-License-Identifier: Apache-2.0

import BluetoothSMP
import BluetoothTypes
import Foundation
import Synchronization
import Testing

@testable import BluetoothClients
@testable import BluetoothHost
@testable import CoreBluetooth

@Suite("Pairing without a delegate")
struct PairingConsentTests {
    private let link = LinkIdentifier(rawValue: 7)

    @Test("8.1 Only a central may start a pairing, and only while a service is protected")
    func pairingConditions() {
        for hasProtectedContent in [false, true] {
            for linksToCentrals: Set<LinkIdentifier> in [[], [LinkIdentifier(rawValue: 8)], [link]]
            {
                let pairingConditions = PairingConditions(
                    hasProtectedContent: hasProtectedContent,
                    linksToCentrals: linksToCentrals
                )
                #expect(
                    pairingConditions.permit(link)
                        == (hasProtectedContent && linksToCentrals == [link])
                )
            }
        }
    }

    @Test("8.1 Legacy pairing is allowed only in pairings that this device starts")
    func legacy() {
        var configuration = HostConfiguration()
        configuration.pairAsApplicationsExpect(LockedState(AdapterSwitches()))
        #expect(configuration.pairing.allowsLegacyPairing)
        #expect(configuration.peerPairing == Pairing.Policy())
    }

    @Test("8.1 The host's question whether there is a delegate never releases the delegate")
    func release() async {
        let switches = LockedState(AdapterSwitches())
        var configuration = HostConfiguration()
        configuration.pairAsApplicationsExpect(switches)
        let asksPerson = configuration.asksPerson
        let isOver = LockedState(false)
        // More threads than cores, so that they interrupt each other.
        let questions = (0..<6).map { _ in
            onThread {
                ReleasedDelegate.$isAsking.withValue(true) {
                    for _ in 0..<2_000 { _ = asksPerson() }
                }
            }
        }
        let change = onThread {
            while !isOver.current {
                // As `CBAdapter.pairingDelegate`: the former delegate is released afterward.
                _ = switches.change { switches in
                    defer { switches.pairingDelegate = ReleasedDelegate() }
                    return switches.pairingDelegate
                }
            }
        }
        for question in questions { await question.value }
        isOver.change { $0 = true }
        await change.value
        #expect(ReleasedDelegate.releases.withLock { $0 } == 0)
    }

    /// Runs a function on a thread of its own.
    private func onThread(_ body: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            await withCheckedContinuation { end in
                Thread.detachNewThread {
                    body()
                    end.resume()
                }
            }
        }
    }

    /// A delegate that counts its releases during the host's question.
    private final class ReleasedDelegate: PairingDelegate {
        @TaskLocal static var isAsking = false
        static let releases = Mutex(0)

        deinit { if Self.isAsking { Self.releases.withLock { $0 += 1 } } }
    }

    @Test("8.1 A pairing policy in the adapter's configuration is kept")
    func configured() {
        var configuration = HostConfiguration()
        configuration.pairing.requiresAuthentication = true
        let policy = configuration.pairing
        configuration.pairAsApplicationsExpect(LockedState(AdapterSwitches()))
        #expect(configuration.pairing == policy && configuration.peerPairing == nil)
    }
}
