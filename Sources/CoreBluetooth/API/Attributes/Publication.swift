// SPDX-License-Identifier: Apache-2.0

extension CBMutableService {
    /// Freezes the service and all below it, as long as it is published.
    func setPublished(_ isPublished: Bool) {
        mirror.change { $0.isPublished = isPublished }
        for characteristic in characteristics ?? [] {
            characteristic.mirror.change { $0.isPublished = isPublished }
        }
    }

    /// Whether the service is in the table that centrals see.
    var isPublished: Bool { mirror.read(\.isPublished) }

    func checkIsOpen() {
        if isPublished { Misuse.stop("Services cannot be changed once they are published") }
    }
}

extension CBMutableCharacteristic {
    /// Whether the service it belongs to is in the table that centrals see.
    var isPublished: Bool { mirror.read(\.isPublished) }

    func checkIsOpen() {
        if isPublished { Misuse.stop("Characteristics cannot be changed once they are published") }
    }
}
