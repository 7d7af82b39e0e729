// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands for Reset, the event masks and LE host support (Vol 4, Part E, 7.3 and 7.8.1).
package enum BasebandCommands {
    static let handlers: [CommandHandler] = [
        .completing(HCI.Reset.self) { (controller, _, ether) throws(HCI.ErrorCode) -> Void in
            controller.reset(&ether)
        },
        .completing(HCI.SetEventMask.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            ether.ports[controller.radio.index].filter.mask = command.mask
        },
        .completing(HCI.SetEventMaskPage2.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            ether.ports[controller.radio.index].filter.page2 = command.mask
        },
        .completing(HCI.LESetEventMask.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            ether.ports[controller.radio.index].filter.leMask = command.mask
                .intersection(controller.configuration.leEvents)
        },
        .completing(HCI.WriteLEHostSupport.self) {
            (_, _, _) throws(HCI.ErrorCode) -> Void in
            // LE is the only transport, so there is nothing to set. Dual-mode hosts send the
            // command in any case.
        },
    ]
}

extension VirtualController {
    /// Restores the state after power-on, except the controller's identity and the state of its
    /// randomness (Vol 4, Part E, 7.3.2). Links end without any packet to the peers.
    mutating func reset(_ ether: inout Ether) {
        ether.reset(radio)
        settings = ControllerSettings()
        acceptList = FilterAcceptList(limit: configuration.acceptListLimit)
        resolvingList = ResolvingList(limit: configuration.resolvingListLimit)
        advertiser = VirtualAdvertiser(setLimit: configuration.advertisingSetLimit)
        scanner = Scanner()
        initiator = Initiator()
        keyAgreement = KeyAgreement()
        updateLinkCapabilities(&ether)
    }

    /// Restarts the controller without a command, as after a loss of power. The controller also
    /// discards the bytes of an incomplete packet, and no longer hangs.
    mutating func restart(_ ether: inout Ether) {
        reset(&ether)
        hostStream = HostStream()
        ether.ports[radio.index].setHung(false)
    }
}
