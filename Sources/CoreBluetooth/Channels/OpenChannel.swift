// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP

/// A channel that was opened for an application. It closes when it is released, even if it never
/// reached the application.
final class OpenChannel: Sendable {
    let psm: CBL2CAPPSM
    let pipe: ChannelPipe

    init(psm: CBL2CAPPSM, pipe: ChannelPipe) {
        self.psm = psm
        self.pipe = pipe
        pipe.start()
    }

    deinit {
        pipe.release()
    }
}

extension OpenChannel {
    /// The options of all channels of this device.
    static let options = L2CAP.ChannelOptions()

    /// Makes a channel that the host has opened. `nil` if it has ended meanwhile.
    convenience init?(
        _ number: ChannelNumber,
        on link: LinkIdentifier,
        of host: isolated BluetoothHost
    ) {
        guard let description = host.description(of: number) else { return nil }
        var limits = ChannelLimits(sendMTU: description.sendMTU)
        limits.receiveMTU = description.receiveMTU
        self.init(
            psm: description.spsm.rawValue,
            pipe: ChannelPipe(
                limits: limits,
                engine: HostChannel(host: host, link: link, number: number)
            )
        )
    }
}
