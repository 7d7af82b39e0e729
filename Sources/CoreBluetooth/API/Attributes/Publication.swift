// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

extension CBMutableService {
    /// Marks the service and its characteristics as published or as not published. A characteristic
    /// that is published without a value stays dynamic, even if its `value` is set later.
    func setPublished(_ isPublished: Bool) {
        snapshot.change { $0.isPublished = isPublished }
        for characteristic in characteristics ?? [] {
            (characteristic as? CBMutableCharacteristic)?.setPublished(isPublished)
        }
    }

    /// Whether the service is published: it was added and not removed, and Bluetooth has been on
    /// since then. It becomes `false` when Bluetooth goes off, so that `noteChange` does not warn
    /// apps that change and add their services again at each `poweredOn`.
    var isPublished: Bool { snapshot.read(\.isPublished) }

    /// Logs the misuse if the service is published: the change takes effect only when the service
    /// is added again.
    func noteChange() {
        guard isPublished else { return }
        Misuse.report("\(logName) is published: add it again to publish the change")
    }
}

extension CBMutableCharacteristic {
    /// Marks the characteristic as published or as not published.
    func setPublished(_ isPublished: Bool) {
        snapshot.change { $0.isPublished = isPublished }
        guard isPublished, value == nil else { return }
        publication.change { $0.isDynamic = true }
    }

    /// Whether the service that contains the characteristic is published.
    var isPublished: Bool { snapshot.read(\.isPublished) }

    /// The value with which the system answers reads; `nil` for a dynamic characteristic, because
    /// the system does not use its `value`.
    var cachedValue: Data? { isDynamic ? nil : value }

    /// Whether the characteristic was published without a value.
    var isDynamic: Bool { publication.read(\.isDynamic) }

    /// Logs the misuse if the service is published: the change takes effect only when the service
    /// is added again.
    func noteChange() {
        guard isPublished else { return }
        Misuse.report("\(logName) is published: add its service again to publish the change")
    }
}
