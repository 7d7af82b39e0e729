LANYARD_ADAPTER=virtual swift run Pulse
