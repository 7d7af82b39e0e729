// SPDX-License-Identifier: Apache-2.0

import VirtualAccessories
import VirtualRadio

extension Scenario {
    /// Adds the devices to the world, with the example accessories.
    ///
    /// - Returns: The playback with the changes that are still to come.
    /// - Throws: ``WorldFullError`` if the world cannot have all devices.
    package func populate(_ world: World) throws(WorldFullError) -> ScenarioPlayback {
        try populate(world) { $0.makeAccessory() }
    }
}

extension Scenario.Device {
    /// Returns the example accessory of the device; `nil` if its controller waits for a host.
    func makeAccessory() -> (any ScriptedHost)? {
        guard let accessory else { return nil }
        return ExampleAccessories.make(kind: accessory, name: name) { profile in
            guard let pairing else { return }
            profile.pairing = AccessoryPairing(pairing)
            switch pairing.protection {
            case .nothing: break
            case .encrypted: profile.protectValues(.encrypted)
            case .authenticated: profile.protectValues(.authenticated)
            }
        }
    }
}

extension AccessoryPairing {
    fileprivate init(_ pairing: Scenario.Pairing) {
        let io = Pairing.IOCapability.allCases.first { "\($0)" == pairing.ioCapability }
        self.init(io ?? .noInputNoOutput, enteredPasskey: pairing.passkey)
        requiresAuthentication = pairing.requiresAuthentication
        allowsLegacyPairing = pairing.allowsLegacyPairing
        keySize = pairing.keySize
        isBonding = pairing.isBonding
        sendsSecurityRequest = pairing.sendsSecurityRequest
    }
}
