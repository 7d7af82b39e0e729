// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A channel that was opened for an application. It closes when it is released, even if it never
/// reached the application.
package final class OpenChannel: Sendable {
    package let psm: UInt16
    package let pipe: ChannelPipe

    init(psm: UInt16, pipe: ChannelPipe) {
        self.psm = psm
        self.pipe = pipe
        pipe.start()
    }

    deinit {
        pipe.release()
    }
}

extension OpenChannel {
    /// Creates a channel from one that the port has opened.
    convenience init(_ channel: any PortChannel) {
        var limits = ChannelLimits(sendMTU: channel.sendMTU)
        limits.receiveMTU = channel.receiveMTU
        self.init(
            psm: channel.psm.rawValue,
            pipe: ChannelPipe(limits: limits, engine: channel)
        )
    }
}
