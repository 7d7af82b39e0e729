// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A port that an `AdapterUsage.Opener` made, and the function that releases its resources.
package struct OpenedPort: Sendable {
    package let port: any BluetoothPort
    /// Releases the port's resources after the port was shut down. Must not be called on the
    /// adapter's thread, which may end during the call.
    package let release: @Sendable () -> Void

    package init(_ port: any BluetoothPort, release: @escaping @Sendable () -> Void = {}) {
        self.port = port
        self.release = release
    }
}
