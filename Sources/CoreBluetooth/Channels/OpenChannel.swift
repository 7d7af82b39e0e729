// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothL2CAP

/// A channel on its way to an application, and in its hands: it is closed when nobody has it any
/// more, even if the application never got it.
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
    /// The sizes that this side offers for all channels.
    static let options = L2CAP.ChannelOptions()

    /// Takes a channel that the host has opened; nil if it has ended meanwhile.
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
