// SPDX-License-Identifier: Apache-2.0

import VirtualRadio

/// Tells of connections as they come and go, by the names that the controllers had then.
enum AirLinks {
    /// Has all from now on reported, on the thread of the world.
    static func report(in world: World, _ tell: @escaping @Sendable (AirNews) -> Void) {
        var links: [UInt64: AirLink] = [:]
        world.observeLinks { [unowned world] change in
            switch change {
            case .made(let link):
                let made = AirLink(
                    central: name(of: link.central, in: world),
                    peripheral: name(of: link.peripheral, in: world)
                )
                links[link.number] = made
                tell(.linked(made))
            case .ended(let link):
                if let ended = links.removeValue(forKey: link.number) { tell(.unlinked(ended)) }
            }
        }
    }

    private static func name(of controller: ControllerID, in world: World) -> String {
        let name = world.name(of: controller)
        return name.isEmpty ? "\(controller)" : name
    }
}
