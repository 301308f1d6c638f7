// Written by `npm run api` from docs/openapi.json.
export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/site": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_site"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["sign_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["refresh_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["sign_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["update_me"];
        trace?: never;
    };
    "/api/v1/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["change_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reset_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_my_sessions"];
        put?: never;
        post?: never;
        delete: operations["end_my_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["end_my_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_my_keys"];
        put?: never;
        post: operations["create_my_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["revoke_my_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oauth/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["start_oauth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oauth/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["finish_oauth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/create-full": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["create_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/from-template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["create_event_from_template"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["update_event"];
        trace?: never;
    };
    "/api/v1/events/{event_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["publish_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_cards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_tags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_event_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_holders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/leaderboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_leaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/liquidity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["add_liquidity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["update_pool"];
        trace?: never;
    };
    "/api/v1/series/{series_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["update_series"];
        trace?: never;
    };
    "/api/v1/series/{series_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["stop_series"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/series/{series_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resume_series"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["pause_pool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resume_pool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{market_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_market"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/orderbook/{market_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_orderbook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/charts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pool_charts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{market_id}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_market_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resolve_pool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancel_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/odds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_event_odds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/bets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["place_bet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/positions/sell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["sell_shares"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["quote_order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_event_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_my_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_user_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_held_positions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/positions/completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_completed_positions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/pnl/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_my_pnl_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/pnl/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_user_pnl_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_my_positions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/portfolio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_my_portfolio"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_my_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["create_comment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_comments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments/{comment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_comment"];
        put?: never;
        post?: never;
        delete: operations["delete_comment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments/{comment_id}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_replies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments/{comment_id}/reaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["react_to_comment"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["open_chat_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_chat_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["send_chat_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/session/call-operator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["call_operator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["stream_chat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_chat_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_chat_session_messages"];
        put?: never;
        post: operations["answer_chat_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["stream_chat_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/sessions/{session_id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["close_chat_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_notifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/unread/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["count_unread_notifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["mark_notifications_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_attention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["update_user"];
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["create_reset_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["credit_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_user_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_admin_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_partners"];
        put?: never;
        post: operations["create_partner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_partner_keys"];
        put?: never;
        post: operations["create_partner_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["revoke_partner_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_transactions_of_partner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/deposit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["deposit_to_partner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/payout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["pay_out_partner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_partner_webhook"];
        put: operations["set_partner_webhook"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/webhook/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["send_partner_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["set_event_image"];
        post?: never;
        delete: operations["delete_event_image"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/avatar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["set_my_avatar"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_assets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{symbol}/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_asset_price"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{symbol}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_asset_prices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/currency/rate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_currency_rate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/assets/{symbol}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["set_asset"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/currency-rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_currency_rates"];
        put: operations["set_currency_rate"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ws/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["follow_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ws/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["watch_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Health: {
            /** @enum {unknown} */
            status: "ok";
            /** Format: date-time */
            timestamp: string;
            uptime_seconds: number;
        };
        Ready: {
            /** @enum {unknown} */
            status: "ready";
        };
        Site: {
            name: string;
            version: string;
            sign_up: boolean;
            oauth: string[];
            image_bytes_max: number;
        };
        SignUp: {
            /** Format: email */
            email: string;
            password: string;
            name: string;
            /** @default null */
            nickname: string | null;
        };
        SignedIn: {
            user: components["schemas"]["User"];
            access_token: string;
            expires_in: number;
        };
        User: {
            id: number;
            email: string;
            name: string;
            nickname: string;
            avatar_url: string;
            profile_hidden: boolean;
            is_creator: boolean;
            is_admin: boolean;
            is_stats_viewer: boolean;
            is_operator: boolean;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        SignIn: {
            login: string;
            password: string;
        };
        Empty: Record<string, never>;
        ProfileChange: {
            /** @default null */
            name: string | null;
            /** @default null */
            nickname: string | null;
            /** @default null */
            avatar_url: string | null;
            /** @default null */
            profile_hidden: boolean | null;
        };
        PasswordChange: {
            old: string;
            new: string;
        };
        PasswordReset: {
            token: string;
            password: string;
        };
        Sessions: {
            sessions: components["schemas"]["Session"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Session: {
            id: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
            user_agent: string;
            current: boolean;
        };
        KeyOrder: {
            name: string;
            /** @enum {unknown} */
            scope: "read" | "trade";
        };
        NewOwnKey: {
            id: number;
            name: string;
            /** @enum {unknown} */
            scope: "read" | "trade";
            key: string;
            /** Format: date-time */
            created_at: string;
        };
        OwnKeys: {
            keys: components["schemas"]["OwnKey"][];
        };
        OwnKey: {
            id: number;
            name: string;
            /** @enum {unknown} */
            scope: "read" | "trade";
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
        };
        CreateEventBody: {
            /** @default null */
            name_ru: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            versus_names: string[] | null;
            /** @default null */
            versus_images: string[] | null;
            /** @default null */
            has_draw: boolean | null;
            /** @default null */
            image_url: string | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            main_pool_index: number | null;
            name: string;
            pools: components["schemas"]["PoolBody"][];
            /** @default null */
            loop_interval_minutes: number | null;
        };
        PoolBody: {
            /** @default null */
            name: string | null;
            /** @default null */
            name_ru: string | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            rules: string | null;
            /** @default null */
            metadata: {
                market_names?: string[] | null;
                market_probabilities?: number[] | null;
                /** @default 100000 */
                lmsr_b_kopecks: number | null;
                resolution?: {
                    /** @constant */
                    kind: "manual";
                    dispute_minutes?: number | null;
                } | {
                    /** @constant */
                    kind: "price";
                    symbol: string;
                    outcomes: {
                        above?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                        from?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                        below?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                        to?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                    }[];
                    source?: string | null;
                    /** @default 300 */
                    within_seconds: number | null;
                    /** @default 2 */
                    decimals: number | null;
                    dispute_minutes?: number | null;
                } | {
                    /** @constant */
                    kind: "external";
                    /** @default 1440 */
                    wait_minutes: number | null;
                    dispute_minutes?: number | null;
                } | null;
                odds?: {
                    names?: {
                        [key: string]: string;
                    } | null;
                } | null;
            } | null;
        };
        Event: {
            id: number;
            name: string;
            name_ru: string;
            tags: string[];
            image_url: string;
            /** @enum {unknown} */
            status: "active" | "cancelled" | "closed" | "new" | "resolved";
            is_active: boolean;
            /** Format: date-time */
            created_at: string;
            versus_names: string[];
            versus_images: string[];
            has_draw: boolean;
            main_pool_index: number;
            loop_interval_minutes: number;
            external_event_url: string;
            series: components["schemas"]["InstanceOfSeries"] | null;
            pools: components["schemas"]["Pool"][];
        };
        InstanceOfSeries: {
            id: number;
            index: number;
            previous_event_id: number | null;
            next_event_id: number | null;
        };
        Pool: {
            id: number;
            name: string;
            name_ru: string;
            rules: string;
            won_side: number | null;
            margin: number;
            finish_at: string | null;
            live_at: string | null;
            markets: components["schemas"]["Market"][];
            metadata: Record<string, never>;
            liquidity: components["schemas"]["Liquidity"][];
            resolution: components["schemas"]["PoolResolution"];
        };
        Market: {
            id: number;
            pool_id: number;
            name: string;
            yes_probability: number;
            /** @enum {unknown} */
            market_type: "lmsr";
            volume: number;
            b: number;
            q_yes: number;
            q_no: number;
            paused: boolean;
            resolved: boolean;
            outcome_index: number;
        };
        Liquidity: {
            /** Format: date-time */
            at: string;
            b: number;
            subsidy_kopecks: number;
            probabilities: number[];
            q_yes: number[];
            q_no: number[];
        };
        PoolResolution: {
            /** @enum {unknown} */
            kind: "external" | "manual" | "price";
            /** @enum {unknown} */
            state: "attention" | "decided" | "open" | "paid" | "paying" | "waiting";
            symbol: string | null;
            source: string | null;
            outcomes: {
                [key: string]: number;
            }[] | null;
            strike: Record<string, never> | null;
            evidence: Record<string, never> | null;
            decided_at: string | null;
            decided_by: ("admin" | "creator" | "rule") | null;
            won_side: number | null;
            payouts: number[] | null;
            void_at: string | null;
            disputable_until: string | null;
            reason: ("no_price" | "no_result" | "no_single_winner") | null;
        };
        YesNoTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "yes_no";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            rules: string | null;
            question: string;
            /** @default null */
            probability: number | null;
        };
        MatchTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "match";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            rules: string | null;
            home: string;
            away: string;
            /** @default null */
            draw: boolean | null;
        };
        PriceTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "price";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** Format: date-time */
            finish_at: string;
            /** @default null */
            rules: string | null;
            symbol: string;
            thresholds: (number)[];
            /** @default null */
            relative: ("plus" | "times") | null;
        };
        CandidatesTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "candidates";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            rules: string | null;
            question: string;
            names: string[];
        };
        EventPage: {
            events: components["schemas"]["Event"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        CardPage: {
            cards: components["schemas"]["Card"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Card: {
            event_id: number;
            name: string;
            name_ru: string;
            tags: string[];
            image_url: string;
            /** @enum {unknown} */
            status: "active" | "cancelled" | "closed" | "new" | "resolved";
            published_at: string | null;
            finish_at: string | null;
            resolved_at: string | null;
            volume_kopecks: number;
            volume_24h_kopecks: number;
            traders: number;
            comments: number;
            pools: number;
            pool: components["schemas"]["CardPool"];
        };
        CardPool: {
            pool_id: number;
            name: string;
            name_ru: string;
            live_at: string | null;
            finish_at: string | null;
            paused: boolean;
            won_side: number | null;
            outcomes: number;
            top: components["schemas"]["CardOutcome"][];
            spark: number[];
        };
        CardOutcome: {
            market_id: number;
            outcome_index: number;
            name: string;
            probability: number;
            probability_24h: number;
        };
        Tags: {
            tags: components["schemas"]["Tag"][];
        };
        Tag: {
            tag: string;
            active: number;
        };
        EventDetails: {
            event: components["schemas"]["Event"];
            creator: components["schemas"]["PublicUser"];
            published_at: string | null;
            finish_at: string | null;
            resolved_at: string | null;
            main_pool_index: number;
            volume_kopecks: number;
            traders: number;
            comments: number;
            may: ("cancel" | "image" | "pause" | "publish" | "resolve")[];
            pools: components["schemas"]["PoolDetails"][];
            positions: components["schemas"]["Position"][];
        };
        PublicUser: {
            id: number;
            name: string;
            nickname: string;
            profile_hidden: boolean;
            avatar_url: string;
        };
        PoolDetails: {
            pool_id: number;
            paused: boolean;
            volume_kopecks: number;
            trades: number;
            traders: number;
            probabilities_24h: number[];
            loss_bound_kopecks: number;
            resolved_at: string | null;
            house: components["schemas"]["HouseMoney"] | null;
        };
        HouseMoney: {
            escrow_kopecks: number;
            fees_kopecks: number;
            result_kopecks: number | null;
        };
        Position: {
            id: number;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount: number;
            avg_price: number;
            cost_kopecks: number;
            pnl: number;
            /** Format: date-time */
            opened_at: string;
            event_id: number;
            event_name: string;
            event_name_ru: string;
            pool_id: number;
            pool_name: string;
            pool_name_ru: string;
            market_name: string;
            outcome_index: number;
            value_kopecks?: number;
            won_side?: (0 | 1) | null;
            /** Format: date-time */
            closed_at?: string;
            proceeds_kopecks?: number;
            void?: boolean;
        };
        Holders: {
            markets: components["schemas"]["MarketHolders"][];
        };
        MarketHolders: {
            market_id: number;
            yes: components["schemas"]["Holding"][];
            no: components["schemas"]["Holding"][];
            yes_holders: number;
            no_holders: number;
        };
        Holding: {
            user: components["schemas"]["Trader"];
            shares: number;
        };
        Trader: {
            id: number | null;
            name: string;
            avatar_url: string;
        };
        Profile: {
            user: components["schemas"]["PublicUser"];
            /** Format: date-time */
            created_at: string;
            realized_kopecks: number;
            volume_kopecks: number;
            trades: number;
            events: number;
        };
        Leaderboard: {
            entries: components["schemas"]["Leader"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Leader: {
            rank: number;
            user: components["schemas"]["PublicUser"];
            realized_kopecks: number;
            volume_kopecks: number;
            trades: number;
        };
        LiquidityBody: {
            lmsr_b_kopecks: number;
            /** @default null */
            probabilities: number[] | null;
        };
        EditEventBody: {
            /** @default null */
            name_ru: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            versus_names: string[] | null;
            /** @default null */
            versus_images: string[] | null;
            /** @default null */
            has_draw: boolean | null;
            /** @default null */
            image_url: string | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            main_pool_index: number | null;
            /** @default null */
            name: string | null;
        };
        EditPoolBody: {
            /** @default null */
            name: string | null;
            /** @default null */
            name_ru: string | null;
            /** @default null */
            rules: string | null;
            /** @default null */
            market_names: string[] | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
        };
        Series: {
            id: number;
            /** @enum {unknown} */
            status: "ended" | "running" | "stopped";
            waiting: ("creator_role" | "house_limit" | "price") | null;
            loop_interval_minutes: number;
            first_event_id: number;
            current_event_id: number;
            next_index: number;
            next_opens_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        EditSeriesBody: {
            /** @default null */
            name_ru: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            versus_names: string[] | null;
            /** @default null */
            versus_images: string[] | null;
            /** @default null */
            has_draw: boolean | null;
            /** @default null */
            image_url: string | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            main_pool_index: number | null;
            /** @default null */
            name: string | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            pools: components["schemas"]["PoolBody"][] | null;
        };
        Orderbook: {
            market_id: number;
            bids: components["schemas"]["BookLevel"][];
            asks: components["schemas"]["BookLevel"][];
        };
        BookLevel: {
            price: number;
            amount: number;
        };
        PoolCharts: {
            "1h"?: components["schemas"]["PoolChartPoint"][];
            "1d"?: components["schemas"]["PoolChartPoint"][];
            "1w"?: components["schemas"]["PoolChartPoint"][];
            "1m"?: components["schemas"]["PoolChartPoint"][];
            all?: components["schemas"]["PoolChartPoint"][];
        };
        PoolChartPoint: {
            /** Format: date-time */
            timestamp: string;
            values: number[];
        };
        MarketChartPoint: {
            /** Format: date-time */
            timestamp: string;
            probability: number;
        };
        ResolveBody: {
            /** @default null */
            won_side: number | null;
            /** @default null */
            payouts: number[] | null;
            /** @default null */
            void: true | null;
            /** @default null */
            at: string | null;
        };
        EventOdds: {
            source: ("kalshi" | "manifold" | "polymarket") | null;
            /** @enum {unknown} */
            status: "absurd" | "closed" | "off" | "ok" | "stale" | "unmatched" | "unsupported";
            checked_at: string | null;
            pools: components["schemas"]["OddsPool"][];
        };
        OddsPool: {
            pool_id: number;
            follows: boolean;
            outcomes: components["schemas"]["OddsOutcome"][];
            unmatched: string[];
            spent_kopecks: number;
        };
        OddsOutcome: {
            outcome_index: number;
            name: string;
            external_name: string | null;
            price: number | null;
        };
        BetOrder: {
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount_kopecks: number;
            /** @default null */
            min_shares: number | null;
            /** @default null */
            max_price_bps: number | null;
        };
        Bet: {
            id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount_kopecks: number;
            fee_kopecks: number;
            shares: number;
            avg_price: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        SaleOrder: {
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            /** @default null */
            shares: number | null;
            /** @default null */
            min_payout_kopecks: number | null;
        };
        Sale: {
            id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            shares: number;
            payout_kopecks: number;
            avg_price: number;
            pnl: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        Quote: {
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            shares: number;
            amount_kopecks: number;
            fee_kopecks: number;
            avg_price: number;
            probability_before: number;
            probability_after: number;
        };
        TradePage: {
            trades: components["schemas"]["Trade"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Trade: {
            id: number;
            event_id: number;
            pool_id: number;
            market_id: number;
            user: components["schemas"]["Trader"];
            /** @enum {unknown} */
            action: "buy" | "sell";
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount_kopecks: number;
            shares: number;
            avg_price: number;
            probability_before: number;
            probability_after: number;
            /** Format: date-time */
            created_at: string;
        };
        HeldPositions: {
            positions: components["schemas"]["HeldPosition"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        HeldPosition: {
            id: number;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount: number;
            avg_price: number;
            pnl: number;
            value_kopecks: number;
            event_id: number;
            event_name: string;
            pool_id: number;
            pool_name: string;
            market_name: string;
        };
        ClosedPositions: {
            positions: components["schemas"]["ClosedPosition"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        ClosedPosition: {
            id: number;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount: number;
            avg_price: number;
            pnl: number;
            won_side: (0 | 1) | null;
            /** Format: date-time */
            closed_at: string;
            event_id: number;
            event_name: string;
            pool_id: number;
            pool_name: string;
            market_name: string;
        };
        PnlChart: {
            points: components["schemas"]["PnlChartPoint"][];
        };
        PnlChartPoint: {
            /** Format: date-time */
            timestamp: string;
            pnl: number;
        };
        PositionPage: {
            positions: components["schemas"]["Position"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Portfolio: {
            balance_kopecks: number;
            value_kopecks: number;
            cost_kopecks: number;
            realized_kopecks: number;
            open: number;
            closed: number;
        };
        TransactionPage: {
            transactions: components["schemas"]["Transaction"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Transaction: {
            id: number;
            /** @enum {unknown} */
            type: "bet" | "credit" | "sale" | "settlement";
            change_kopecks: number;
            event_id: number | null;
            event_name: string;
            event_name_ru: string;
            market_id: number | null;
            market_name: string;
            token_type: ("NO" | "YES") | null;
            note: string;
            /** Format: date-time */
            created_at: string;
        };
        PartnerBetOrder: {
            external_user_id: string;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            stake_kopecks: number;
            /** @default null */
            min_shares: number | null;
            /** @default null */
            max_price_bps: number | null;
        };
        PartnerBet: {
            bet_id: number;
            external_user_id: string;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            stake_kopecks: number;
            fee_kopecks: number;
            shares: number;
            avg_price_bps: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            float_balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        PartnerSaleOrder: {
            external_user_id: string;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            /** @default null */
            shares: number | null;
            /** @default null */
            min_payout_kopecks: number | null;
        };
        PartnerSale: {
            sale_id: number;
            external_user_id: string;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            shares: number;
            payout_kopecks: number;
            avg_price_bps: number;
            pnl: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            float_balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        PartnerQuote: {
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            shares: number;
            stake_kopecks: number;
            fee_kopecks: number;
            avg_price_bps: number;
            probability_before: number;
            probability_after: number;
        };
        PartnerUser: {
            external_user_id: string;
            exists: boolean;
            user_id: number | null;
            balance_kopecks: number;
            open_positions_kopecks: number;
            positions: components["schemas"]["PartnerPosition"][];
        };
        PartnerPosition: {
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            shares: number;
            avg_price_bps: number;
            value_kopecks: number;
        };
        PartnerBalance: {
            partner: string;
            float_balance_kopecks: number;
            users_balance_kopecks: number;
            total_kopecks: number;
        };
        WithdrawalOrder: {
            amount_kopecks: number;
        };
        Withdrawal: {
            external_user_id: string;
            amount_kopecks: number;
            balance_kopecks: number;
            float_balance_kopecks: number;
        };
        PartnerTransactions: {
            transactions: components["schemas"]["PartnerTransaction"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        PartnerTransaction: {
            id: number;
            /** @enum {unknown} */
            type: "bet" | "deposit" | "payout" | "sale" | "settlement" | "withdrawal";
            external_user_id: string | null;
            market_id: number | null;
            bet_id: number | null;
            sale_id: number | null;
            float_change_kopecks: number;
            balance_change_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        CommentBody: {
            event_id: number;
            content: string;
            /** @default null */
            parent_id: number | null;
        };
        Comment: {
            id: number;
            event_id: number;
            user_id: number;
            parent_id: number | null;
            content: string;
            likes_count: number;
            dislikes_count: number;
            replies_count: number;
            /** Format: date-time */
            created_at: string;
            user: components["schemas"]["PublicUser"];
            user_reaction: ("dislike" | "like") | null;
        };
        CommentPage: {
            comments: components["schemas"]["Comment"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        CommentInThread: {
            comment: components["schemas"]["Comment"];
            root_id: number;
        };
        Replies: {
            comments: components["schemas"]["Comment"][];
        };
        ReactionBody: {
            type: ("dislike" | "like") | null;
        };
        ChatSession: {
            session_id: number;
            /** @enum {unknown} */
            status: "answered" | "closed" | "open" | "waiting";
            messages: components["schemas"]["ChatMessage"][];
        };
        ChatMessage: {
            id: number;
            /** @enum {unknown} */
            sender: "operator" | "system" | "user";
            text: string;
            created_at: number;
        };
        ChatMessages: {
            messages: components["schemas"]["ChatMessage"][];
            /** @enum {unknown} */
            status: "answered" | "closed" | "open" | "waiting";
        };
        ChatText: {
            text: string;
        };
        CreatedMessage: {
            messages: components["schemas"]["ChatMessage"][];
        };
        OperatorCall: {
            success: boolean;
            message: string;
        };
        SupportSessionPage: {
            sessions: components["schemas"]["SupportSession"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        SupportSession: {
            session_id: number;
            /** @enum {unknown} */
            status: "answered" | "closed" | "open" | "waiting";
            user: components["schemas"]["PublicUser"] | null;
            /** Format: date-time */
            created_at: string;
            last_message_at: string | null;
            last_message: components["schemas"]["SupportLastMessage"] | null;
            waiting_since: string | null;
        };
        SupportLastMessage: {
            /** @enum {unknown} */
            sender: "operator" | "system" | "user";
            text: string;
        };
        NotificationPage: {
            notifications: components["schemas"]["Notification"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Notification: {
            id: number;
            /** @enum {unknown} */
            type: "comment_reply" | "event_cancelled" | "event_closed" | "event_published" | "event_resolved" | "operator_answer" | "position_settled" | "resolution_needed" | "series_waiting";
            text: string;
            event_id: number | null;
            params: components["schemas"]["NotificationParams"];
            comment_id: number | null;
            /** Format: date-time */
            created_at: string;
            read: boolean;
        };
        NotificationParams: {
            /** @default  */
            event_name: string;
            /** @default  */
            event_name_ru: string;
            /** @default  */
            pool_name: string;
            /** @default  */
            pool_name_ru: string;
            /** @default  */
            market_name: string;
            /** @default null */
            token_type: ("NO" | "YES") | null;
            /** @default null */
            shares: number | null;
            /** @default null */
            payout_kopecks: number | null;
            /** @default null */
            pnl_kopecks: number | null;
        };
        NotificationCount: {
            count: number;
        };
        ReadBody: {
            /** @default null */
            ids: number[] | null;
        };
        AttentionPage: {
            entries: components["schemas"]["AttentionEntry"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        AttentionEntry: {
            id: number;
            /** @enum {unknown} */
            kind: "odds" | "payment" | "resolution" | "series" | "webhook";
            event_id: number | null;
            pool_id: number | null;
            series_id: number | null;
            reason: string;
            /** Format: date-time */
            since: string;
            partner?: string;
        };
        Users: {
            users: components["schemas"]["ManagedUser"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        ManagedUser: {
            id: number;
            email: string;
            name: string;
            nickname: string;
            avatar_url: string;
            profile_hidden: boolean;
            is_creator: boolean;
            is_admin: boolean;
            is_stats_viewer: boolean;
            is_operator: boolean;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
            is_active: boolean;
        };
        UserChange: {
            /** @default null */
            is_creator: boolean | null;
            /** @default null */
            is_admin: boolean | null;
            /** @default null */
            is_stats_viewer: boolean | null;
            /** @default null */
            is_operator: boolean | null;
            /** @default null */
            is_active: boolean | null;
        };
        IssuedResetLink: {
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        CreditOrder: {
            amount_kopecks: number;
            /** @default null */
            note: string | null;
        };
        Credit: {
            user_id: number;
            amount_kopecks: number;
            balance_kopecks: number;
        };
        AdminLog: {
            entries: components["schemas"]["AdminLogEntry"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        AdminLogEntry: {
            id: number;
            who: string;
            action: string;
            target: string;
            details: Record<string, never>;
            /** Format: date-time */
            created_at: string;
        };
        Stats: {
            total: components["schemas"]["StatsTotal"];
            days: components["schemas"]["StatsDay"][];
        };
        StatsTotal: {
            users: number;
            active_traders: number;
            volume_kopecks: number;
            fees_kopecks: number;
            open_interest_kopecks: number;
            house_result_kopecks: number;
        };
        StatsDay: {
            date: string;
            users: number;
            active_traders: number;
            volume_kopecks: number;
            fees_kopecks: number;
            open_interest_kopecks: number;
            house_result_kopecks: number;
        };
        Partners: {
            partners: components["schemas"]["PartnerOverview"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        PartnerOverview: {
            partner: string;
            float_balance_kopecks: number;
            users_balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        PartnerOrder: {
            name: string;
        };
        IssuedPartner: {
            partner: string;
            key_id: number;
            key: string;
        };
        PartnerKeys: {
            keys: components["schemas"]["PartnerKey"][];
        };
        PartnerKey: {
            id: number;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
        };
        NewPartnerKey: {
            id: number;
            key: string;
        };
        FloatOrder: {
            amount_kopecks: number;
        };
        FloatChange: {
            partner: string;
            amount_kopecks: number;
            float_balance_kopecks: number;
        };
        WebhookOrder: {
            url: string;
        };
        IssuedWebhook: {
            url: string;
            secret: string;
        };
        WebhookState: {
            url: string;
            /** Format: date-time */
            created_at: string;
            last_delivery_at: string | null;
            failing_since: string | null;
            reason: string;
            next_attempt_at: string | null;
            waiting: number;
        };
        WebhookTest: {
            delivered: boolean;
            reason: string;
        };
        StoredImage: {
            image_url: string;
        };
        AssetPage: {
            assets: components["schemas"]["Asset"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Asset: {
            id: number;
            symbol: string;
            name: string;
            asset_type: string;
            price: number;
            /** Format: date-time */
            price_updated_at: string;
            /** Format: date-time */
            created_at: string;
        };
        PricePage: {
            prices: components["schemas"]["PriceObservation"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        PriceObservation: {
            price: number;
            /** Format: date-time */
            observed_at: string;
            source: string;
        };
        CurrencyRate: {
            from: string;
            to: string;
            rate: number;
        };
        AssetBody: {
            name: string;
            asset_type: string;
            price: number;
        };
        StoredRatePage: {
            rates: components["schemas"]["StoredRate"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        StoredRate: {
            from: string;
            to: string;
            rate: number;
            source: string;
            /** Format: date-time */
            updated_at: string;
        };
        Error: {
            error: string;
            message: string;
            details?: Record<string, never>;
        };
        BareError: {
            error: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    get_site: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
        };
    };
    sign_up: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUp"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    refresh_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    update_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    reset_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordReset"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    list_my_sessions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
        };
    };
    end_my_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    end_my_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    list_my_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnKeys"];
                };
            };
        };
    };
    create_my_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewOwnKey"];
                };
            };
        };
    };
    revoke_my_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    start_oauth: {
        parameters: {
            query?: {
                return_to?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    finish_oauth: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                error?: string;
                iss?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    create_event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEventBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    create_event_from_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["YesNoTemplate"] | components["schemas"]["MatchTemplate"] | components["schemas"]["PriceTemplate"] | components["schemas"]["CandidatesTemplate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                status?: "new" | "active" | "closed" | "resolved" | "cancelled";
                tag?: string;
                q?: string;
                series?: number;
                current?: "true" | "false";
                sort?: "new" | "volume" | "closing";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    get_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    update_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditEventBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    publish_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    list_cards: {
        parameters: {
            query?: {
                status?: "new" | "active" | "closed" | "resolved" | "cancelled" | "all";
                tag?: string;
                q?: string;
                creator?: "me" | number;
                sort?: "trending" | "new" | "volume" | "closing" | "moved";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardPage"];
                };
            };
        };
    };
    list_tags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tags"];
                };
            };
        };
    };
    get_event_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDetails"];
                };
            };
        };
    };
    list_holders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holders"];
                };
            };
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    list_leaders: {
        parameters: {
            query?: {
                period?: "week" | "month" | "all";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Leaderboard"];
                };
            };
        };
    };
    add_liquidity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LiquidityBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    get_pool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    update_pool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditPoolBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    get_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    update_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditSeriesBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    stop_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    resume_series: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    get_pools: {
        parameters: {
            query: {
                ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"][];
                };
            };
        };
    };
    pause_pool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    resume_pool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    get_market: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                market_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Market"];
                };
            };
        };
    };
    get_orderbook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                market_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Orderbook"];
                };
            };
        };
    };
    get_pool_charts: {
        parameters: {
            query?: {
                range?: "1h" | "1d" | "1w" | "1m" | "all";
            };
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolCharts"];
                };
            };
        };
    };
    get_market_chart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                market_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketChartPoint"][];
                };
            };
        };
    };
    resolve_pool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    cancel_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    get_event_odds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventOdds"];
                };
            };
        };
    };
    place_bet: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BetOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bet"];
                };
            };
        };
    };
    sell_shares: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaleOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sale"];
                };
            };
        };
    };
    quote_order: {
        parameters: {
            query: {
                market_id: number;
                token_type: "YES" | "NO";
                amount_kopecks?: number;
                shares?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    list_event_trades: {
        parameters: {
            query?: {
                market_id?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
        };
    };
    list_my_trades: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
        };
    };
    list_user_trades: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
        };
    };
    list_held_positions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldPositions"];
                };
            };
        };
    };
    list_completed_positions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosedPositions"];
                };
            };
        };
    };
    get_my_pnl_chart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PnlChart"];
                };
            };
        };
    };
    get_user_pnl_chart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PnlChart"];
                };
            };
        };
    };
    list_my_positions: {
        parameters: {
            query?: {
                state?: "open" | "closed";
                event_id?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PositionPage"];
                };
            };
        };
    };
    get_my_portfolio: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Portfolio"];
                };
            };
        };
    };
    list_my_transactions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                };
            };
        };
    };
    create_comment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
        };
    };
    list_comments: {
        parameters: {
            query?: {
                sort?: "new" | "top";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentPage"];
                };
            };
        };
    };
    get_comment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentInThread"];
                };
            };
        };
    };
    delete_comment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    list_replies: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replies"];
                };
            };
        };
    };
    react_to_comment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "like"
                 *     }
                 */
                "application/json": components["schemas"]["ReactionBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
        };
    };
    open_chat_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSession"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSession"];
                };
            };
        };
    };
    list_chat_messages: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessages"];
                };
            };
        };
    };
    send_chat_message: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatText"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedMessage"];
                };
            };
        };
    };
    call_operator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorCall"];
                };
            };
        };
    };
    stream_chat: {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        id?: string;
                        data: string;
                    };
                };
            };
        };
    };
    list_chat_sessions: {
        parameters: {
            query?: {
                status?: "open" | "waiting" | "answered" | "closed";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportSessionPage"];
                };
            };
        };
    };
    list_chat_session_messages: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessages"];
                };
            };
        };
    };
    answer_chat_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatText"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessage"];
                };
            };
        };
    };
    stream_chat_sessions: {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        id?: string;
                        data: string;
                    };
                };
            };
        };
    };
    close_chat_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    list_notifications: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
        };
    };
    count_unread_notifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCount"];
                };
            };
        };
    };
    mark_notifications_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReadBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCount"];
                };
            };
        };
    };
    list_attention: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttentionPage"];
                };
            };
        };
    };
    list_users: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
                role?: "creator" | "admin" | "stats_viewer" | "operator";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Users"];
                };
            };
        };
    };
    update_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedUser"];
                };
            };
        };
    };
    create_reset_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedResetLink"];
                };
            };
        };
    };
    credit_user: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credit"];
                };
            };
        };
    };
    list_user_transactions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                };
            };
        };
    };
    list_admin_log: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                action?: string;
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminLog"];
                };
            };
        };
    };
    get_stats: {
        parameters: {
            query?: {
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    list_partners: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partners"];
                };
            };
        };
    };
    create_partner: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PartnerOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedPartner"];
                };
            };
        };
    };
    list_partner_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerKeys"];
                };
            };
        };
    };
    create_partner_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewPartnerKey"];
                };
            };
        };
    };
    revoke_partner_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
                key_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    list_transactions_of_partner: {
        parameters: {
            query?: {
                type?: "bet" | "sale" | "settlement" | "deposit" | "payout" | "withdrawal";
                external_user_id?: string;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerTransactions"];
                    "text/csv": string;
                };
            };
        };
    };
    deposit_to_partner: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FloatOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloatChange"];
                };
            };
        };
    };
    pay_out_partner: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FloatOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloatChange"];
                };
            };
        };
    };
    get_partner_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookState"];
                };
            };
        };
    };
    set_partner_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookOrder"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedWebhook"];
                };
            };
        };
    };
    send_partner_webhook_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
        };
    };
    set_event_image: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredImage"];
                };
            };
        };
    };
    delete_event_image: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    set_my_avatar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    list_assets: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
        };
    };
    get_asset_price: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    list_asset_prices: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePage"];
                };
            };
        };
    };
    get_currency_rate: {
        parameters: {
            query: {
                from: string;
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrencyRate"];
                };
            };
        };
    };
    set_asset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssetBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    list_currency_rates: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredRatePage"];
                };
            };
        };
    };
    set_currency_rate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CurrencyRate"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrencyRate"];
                };
            };
        };
    };
    follow_trades: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    watch_events: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
}
